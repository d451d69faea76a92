"""The preview of a race's page: a PNG with a square for each rung, red with a cross or green with a tick.

Most programs that show a preview of a link take no SVG. A PNG is a few lines of zlib, so the site
needs no library for it.
"""

import struct
import zlib

WIDTH, HEIGHT, CELL, STEP = 1200, 630, 96, 108
PALETTE = [(0xff, 0xff, 0xff), (0x1b, 0x1f, 0x24), (0xb3, 0x15, 0x2a), (0x1a, 0x70, 0x37), (0xd0, 0xd7, 0xde)]
PAGE, INK, BROKEN, HOLDS, CANNOT = range(len(PALETTE))

# 5 pixels wide, 7 high.
DIGITS = ["01110 10001 10011 10101 11001 10001 01110", "00100 01100 00100 00100 00100 00100 01110",
          "01110 10001 00001 00110 01000 10000 11111", "11110 00001 00001 01110 00001 00001 11110",
          "00010 00110 01010 10010 11111 00010 00010", "11111 10000 11110 00001 00001 10001 01110",
          "00110 01000 10000 11110 10001 10001 01110", "11111 00001 00010 00100 01000 01000 01000",
          "01110 10001 10001 01110 10001 10001 01110", "01110 10001 10001 01111 00001 00010 01100"]
SIGNS = {"B": (BROKEN, "10001 11011 01110 00100 01110 11011 10001"),
         "h": (HOLDS, "00000 00001 00011 10110 11100 01000 00000"),
         "c": (CANNOT, "00000 00000 00000 11111 00000 00000 00000"),
         "i": (CANNOT, "01110 10001 00001 00110 00100 00000 00100")}


def put(rows, left, top, dots, size, colour):
    """Draws dots, each as a square of `size` pixels."""
    for down, line in enumerate(dots.split()):
        for across, dot in enumerate(line):
            if dot == "1":
                square(rows, left + across * size, top + down * size, size, colour)


def square(rows, left, top, size, colour):
    for row in rows[top:top + size]:
        row[left:left + size] = bytes([colour]) * size


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(letters):
    """The picture of the verdicts of the rungs, a letter for each."""
    rows = [bytearray(WIDTH) for _ in range(HEIGHT)]
    left = (WIDTH - STEP * len(letters) + STEP - CELL) // 2
    for number, letter in enumerate(letters):
        colour, sign = SIGNS[letter]
        put(rows, left + 33, 212, DIGITS[number], 6, INK)
        square(rows, left, 286, CELL, colour)
        put(rows, left + 23, 286 + 13, sign, 10, INK if colour == CANNOT else PAGE)
        left += STEP
    pixels = b"".join(b"\0" + row for row in rows)
    return b"".join([b"\x89PNG\r\n\x1a\n", chunk(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 3, 0, 0, 0)),
                     chunk(b"PLTE", b"".join(map(bytes, PALETTE))), chunk(b"IDAT", zlib.compress(pixels, 9)),
                     chunk(b"IEND", b"")])
