# Runs code.sh in each folder that is named.
for dir in "$@"; do
  (
    cd "$dir" || exit
    : >failed
    sh -eu code.sh >stdout 2>stderr || { echo "exit $?"; cat stderr; } >failed
  )
done
