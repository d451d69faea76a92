#!/bin/sh
# The step to a lock, as a diff of two lock.c files (make diff):
#
#   diff.sh LOCK=detour_get_del    a detour, against the stage or the road that
#                                  the first line of its head names
#   diff.sh N=5                    stage 5 against stage 4
#   … FROM=detour_get_del, FROM=3  against another lock
#   … HEAD=1                       with the comments at the heads of both
#
# The heads tell the story of their locks and have hardly a line in common. So
# they are left out, and the lines keep the numbers that they have in the files.
set -u
cd "$(dirname "$0")/.." || exit 2

refuse() {
    echo "$1"
    exit 2
}

# The lock.c of "5", "stage5" or a whole name; of nothing, if there is none.
source_of() {
    case $1 in
    [0-9] | [0-9][0-9]) ls stages/stage"$1"_*/lock.c ;;
    stage[0-9]) ls stages/"$1"_*/lock.c ;;
    *) ls stages/"$1"/lock.c stages/detours/"$1"/lock.c stages/roads/"$1"/lock.c ;;
    esac 2>/dev/null | head -n 1
}

# What stands below the comment at its head.
body_of() {
    awk '!below && /^\/\// { next } { below = 1; print }' "$1"
}

# How many lines it has less.
head_of() {
    echo $(($(wc -l <"$1") - $(body_of "$1" | wc -l)))
}

# Adds to the numbers at the top of each hunk: "@@ -1,5 +1,6 @@".
moved_by() {
    awk -v old="$1" -v new="$2" '
        function moved(place, by) {
            split(substr(place, 2), part, ",")
            return part[1] + by (2 in part ? "," part[2] : "")
        }
        /^@@ / { $2 = "-" moved($2, old); $3 = "+" moved($3, new) }
        { print }'
}

lock='' number='' from='' heads=''
for word; do
    case $word in
    LOCK=*) lock=${word#*=} ;;
    N=*) number=${word#*=} ;;
    FROM=*) from=${word#*=} ;;
    HEAD=1) heads=yes ;;
    HEAD=*) refuse "HEAD=1 shows the comments at the heads, too" ;;
    esac
done

if [ -n "$lock" ]; then
    new=$(source_of "$lock")
    [ -n "$new" ] || refuse "there is no lock $lock: make diff LOCK=detour_get_del"
    before=$(sed -n '1s/^.*Detour from \(stage \|\)\([a-z0-9_]*\):.*/\2/p' "$new")
    [ -n "$before$from" ] || refuse "LOCK=$lock is no detour: say FROM=, the lock to compare it with"
else
    case $number in
    [1-9] | [1-9][0-9]) ;;
    *) refuse "make diff N=5 shows the step from stage 4 to stage 5, LOCK=detour_get_del a detour" ;;
    esac
    new=$(source_of "$number")
    before=$((number - 1))
    [ -n "$new" ] || refuse "there is no step from stage $before to $number"
fi
old=$(source_of "${from:-$before}")
[ -n "$old" ] || refuse "FROM=$from is no lock: FROM=5 or FROM=detour_watchdog_silent"
[ "$old" != "$new" ] || refuse "a lock is compared with another one: FROM= names $new, too"
if [ -n "$heads" ]; then
    diff -u --label "$old" --label "$new" "$old" "$new"
    [ $? -eq 1 ]
    exit
fi
bodies=$(mktemp -d) || exit 2
trap 'rm -r "$bodies"' EXIT
body_of "$old" >"$bodies/old"
body_of "$new" >"$bodies/new"
diff -u --label "$old" --label "$new" "$bodies/old" "$bodies/new" |
    moved_by "$(head_of "$old")" "$(head_of "$new")"
