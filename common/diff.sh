#!/bin/sh
# The step to a lock, as a diff of two lock.c files (make diff):
#
#   diff.sh LOCK=detour_get_del    a detour, against the stage or the road that
#                                  the first line of its head names
#   diff.sh N=5                    stage 5 against stage 4
#   … FROM=detour_get_del, FROM=3  against another lock
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

lock='' number='' from=''
for word; do
    case $word in
    LOCK=*) lock=${word#*=} ;;
    N=*) number=${word#*=} ;;
    FROM=*) from=${word#*=} ;;
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
diff -u --label "$old" --label "$new" "$old" "$new"
[ $? -eq 1 ]
