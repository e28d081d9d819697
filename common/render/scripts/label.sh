#!/bin/sh
# label.sh LABEL LAST: copies the standard input to the standard error, each line at once and with LABEL
# before it, until a line that ends with LAST. Errors and warnings of our own scripts stay as they are.
case $(sed --version 2>/dev/null) in
  "sed (GNU sed)"*) mc_print='w /dev/stderr' ;; # with p it would keep the lines until they are many
  *) mc_print=p ;;
esac
mc_labelled="/^minicluster: error: /!{
/^minicluster: warning: /!s/^/$1/
}
$mc_print"
LC_ALL=C exec sed -n "/$2\$/!{
$mc_labelled
b
}
s///
/./{
$mc_labelled
}
q" >&2
