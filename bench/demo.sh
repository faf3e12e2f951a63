#!/bin/sh
# The main job on the embedded model: write, audit, revise and export a short book. No key, no network.
set -eu
root=${1:-demo}
unset ZENCLI_MODEL ZENCLI_BASE_URL OPENAI_BASE_URL ZENCLI_ROOT || true
rm -rf "$root"
mkdir -p "$root"

say() { printf '\n$ %s\n' "$*"; }

# 3 means "judged and not good enough": what a toy's prose deserves, and no fault of the run.
judged() {
    say "$*"
    code=0
    "$@" || code=$?
    if [ "$code" -eq 3 ]; then
        echo "(exit 3: judged and not good enough, as expected of a toy)"
    elif [ "$code" -ne 0 ]; then
        exit "$code"
    fi
}

done_or_stop() {
    say "$*"
    "$@"
}

done_or_stop zencli --version
done_or_stop zencli init-book tide --root "$root" --language en --genre mystery \
    --target-chapters 2 --chapter-words 200 \
    -i "A lighthouse keeper's daughter must find out before the next spring tide who put out the lamp on the night the ferry sank. Third person, past tense, plain words."
judged zencli write-next tide --root "$root" --rounds 0
judged zencli write-next tide --root "$root" --no-audit
judged zencli audit tide 1 --root "$root"
judged zencli revise tide 1 --root "$root" --mode polish
done_or_stop zencli approve tide 1 --root "$root"
done_or_stop zencli status tide --root "$root"
done_or_stop zencli export tide --root "$root" --format txt
done_or_stop zencli export tide --root "$root" --format md
done_or_stop zencli export tide --root "$root" --format epub --check

printf '\nThe beginning of chapter 1, by the embedded model:\n\n'
zencli show tide 1 --root "$root" | head -c 600
printf '\n...\n\nThe model calls (one file each, request and reply):\n'
ls "$root"/.zencli/runs/*/ "$root"/books/tide/.zencli/runs/*/ | grep -v outcome
