# The worked queries of the manual page, each in a file OUT/NN.sql.
/^\.Sh / { in_queries = $2 == "QUERIES" }
!in_queries { next }
/^\.Bd / { file = sprintf("%s/%02d.sql", OUT, ++n); next }
/^\.Ed/ { close(file); file = ""; next }
file { gsub(/\\e/, "\\"); sub(/^\\&/, ""); print > file }
