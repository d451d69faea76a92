# Completes the names of races, locks and exercises, and the options of the
# programs, in bash and zsh. In the top folder of the repository:
#
#     . common/completion.sh
#
# The names are read from the tree when they are needed, and the options from
# the programs themselves, so there is no list here that could become old.

if [ -n "${ZSH_VERSION-}" ]; then
    autoload -Uz +X compinit bashcompinit
    compinit -u
    bashcompinit
    eval '_lockstep_top=${${(%):-%x}:A:h:h}'
else
    _lockstep_top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
fi

_lockstep_races() {
    (cd "$_lockstep_top/scenarios" && printf '%s\n' [0-9]*/*.c bugs/*/*.c | sed 's,.*/,,; s/\.c$//')
}

_lockstep_tools() {
    sed -n 's/^\(TOOLS\|LAB\) *:= //p' "$_lockstep_top/Makefile" | tr ' ' '\n' | sed 's,.*/,,'
}

# "stage4", and other names as they are.
_lockstep_locks() {
    (cd "$_lockstep_top/stages" && ls -d */lock.c */*/lock.c | sed 's,/lock\.c$,,; s,.*/,,' | sed 's/^\(stage[0-9]*\)_.*/\1/')
}

_lockstep_exercises() {
    (cd "$_lockstep_top/docs/exercises" && printf '%s\n' */ | sed 's,/$,,')
}

_lockstep_assignments() {
    (cd "$_lockstep_top" && printf '%s\n' docs/assignments/*.toml)
}

_lockstep_goals() {
    sed -n 's/^\.PHONY: *//p' "$_lockstep_top/Makefile" | tr ' ' '\n' | grep '^[a-z]'
    _lockstep_locks
}

_lockstep_engines() {
    echo redis
    sed -n 's,^// Engine: ,,p' "$_lockstep_top"/stages/*/*/lock.c | sort -u
}

# What begins with the word that is being typed: _lockstep_answer PREFIX WORDS.
# PREFIX is what stands before it in the same word.
_lockstep_answer() {
    local word
    COMPREPLY=()
    for word in $(printf '%s\n' "$2" | grep -F -- "$_lockstep_word"); do
        case $word in
        "$_lockstep_word"*) COMPREPLY+=("$1$word") ;;
        esac
    done
}

# The programs: an option, what stands behind one, or a race where they are
# named one after another.
_lockstep_program() {
    local program=$1 before=${COMP_WORDS[COMP_CWORD - 1]}
    _lockstep_word=${COMP_WORDS[COMP_CWORD]}
    if [ "$before" = = ]; then before=${COMP_WORDS[COMP_CWORD - 2]}; fi
    if [ "$_lockstep_word" = = ]; then before=${COMP_WORDS[COMP_CWORD - 1]} _lockstep_word=; fi
    case $before in
    --stage | -s) _lockstep_answer '' "$(_lockstep_locks)" ;;
    --format | -f)
        # It refuses a ?, and says which formats it has: "say text, json or svg".
        _lockstep_answer '' "$("$program" --format '?' 2>&1 |
            sed -n 's/, /\n/g; s/ or /\n/; s/.*: say //p')" ;;
    --engine) _lockstep_answer '' "$(_lockstep_engines)" ;;
    --goal | -g) # it names them in the same way
        _lockstep_answer '' "$("$program" --goal '?' 2>&1 |
            sed -n 's/, /\n/g; s/ or /\n/; s/.*: say //p')" ;;
    --client | -c | --check) COMPREPLY=() ;;
    *)
        case $_lockstep_word in
        --stage=*) _lockstep_in_word --stage= _lockstep_locks ;;
        -*) _lockstep_answer '' "$("$program" --help 2>/dev/null |
            grep -o -e '--[a-z][a-z-]*' | sort -u)" ;;
        *) case ${program##*/} in
            matrix) _lockstep_answer '' "$(_lockstep_races)" ;;
            *) COMPREPLY=() ;;
            esac ;;
        esac ;;
    esac
}

# Where the shell takes NAME=word as one word.
_lockstep_in_word() {
    _lockstep_word=${_lockstep_word#"$1"}
    _lockstep_answer "$1" "$($2)"
}

# What make is given, beside a goal.
_lockstep_variables() {
    printf '%s=\n' EX HINT LOCK N FROM HEAD ASSIGNMENT SUBMISSION SUBMISSIONS FORMAT OUTPUT FEEDBACK \
        TIMES ONLY JUNIT TAP RUNS SAN V WERROR
}

# make: a goal; an exercise behind EX=, a detour behind LOCK=.
_lockstep_make() {
    local before=${COMP_WORDS[COMP_CWORD - 1]} variable=
    _lockstep_word=${COMP_WORDS[COMP_CWORD]}
    if [ "$before" = = ]; then
        variable=${COMP_WORDS[COMP_CWORD - 2]}
    elif [ "$_lockstep_word" = = ]; then
        variable=$before _lockstep_word=
    fi
    case $variable$_lockstep_word in
    EX=*) _lockstep_in_word EX= _lockstep_exercises ;;
    LOCK=*) _lockstep_in_word LOCK= _lockstep_locks ;;
    ASSIGNMENT=*) _lockstep_in_word ASSIGNMENT= _lockstep_assignments ;;
    *) case $variable in
        EX) _lockstep_answer '' "$(_lockstep_exercises)" ;;
        LOCK) _lockstep_answer '' "$(_lockstep_locks)" ;;
        ASSIGNMENT) _lockstep_answer '' "$(_lockstep_assignments)" ;;
        *) _lockstep_answer '' "$(_lockstep_goals; _lockstep_variables)" ;;
        esac ;;
    esac
}

for _lockstep_name in $(_lockstep_races) $(_lockstep_tools); do
    complete -o default -F _lockstep_program "$_lockstep_name" "./scenarios/$_lockstep_name"
done
complete -o default -F _lockstep_make make
