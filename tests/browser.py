"""A headless Chromium for the tests of the site, driven by Debian's chromedriver."""

import contextlib
import shutil
import tempfile

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
LIMIT_S = 60
NEEDED = pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="chromium is missing: common/setup.sh install browser")

LEFT, UP, RIGHT, DOWN = "\ue012", "\ue013", "\ue014", "\ue015"
HOME, END, ENTER, ESCAPE, TAB = "\ue011", "\ue010", "\ue007", "\ue00c", "\ue004"


class Browser:
    """A page at a time, with what the tests ask of it."""

    def __init__(self, driver, top):
        self.driver, self.top = driver, top

    def look_like(self, width=1280, height=900, dark=False, media=""):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce"}]})

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def wait(self, script, *arguments):
        """Until the script says something true; returns it."""
        return WebDriverWait(self.driver, LIMIT_S, poll_frequency=0.02).until(
            lambda _: self.run(script, *arguments), script)

    def open(self, address, page="index.html"):
        """index.html#ADDRESS, loaded anew, until it is shown."""
        self.driver.get("about:blank")
        self.driver.get(f"{(self.top / page).as_uri()}{'#' if address else ''}{address}")
        if page == "index.html":
            self.wait("return document.getElementById('view').dataset.shows === arguments[0]", address or "start")

    def press(self, *keys):
        """At what has the focus."""
        for key in keys:
            self.driver.switch_to.active_element.send_keys(key)

    def all(self, selector):
        return self.run("return [...document.querySelectorAll(arguments[0])].map(e => e.textContent)", selector)

    def text(self, selector):
        return self.run("const e = document.querySelector(arguments[0]); return e.innerText ?? e.textContent", selector)

    def errors(self):
        """What the console has heard since the last question."""
        return [entry["message"] for entry in self.driver.get_log("browser")]


@contextlib.contextmanager
def opened(top):
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    with tempfile.TemporaryDirectory(prefix="lockstep-browser-") as profile:
        for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     "--no-first-run", "--disable-background-networking", f"--user-data-dir={profile}"):
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        driver = webdriver.Chrome(service=Service(DRIVER), options=options)
        try:
            yield Browser(driver, top)
        finally:
            driver.quit()
