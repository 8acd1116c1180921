# Makes C of a file: cmake -DINPUT=flame.js -DSYMBOL=ot_asset_flame_js -DOUTPUT=flame.js.c -P embed.cmake
#
# A plain table of bytes is what every compiler takes, for every machine and under every sanitizer.
file(READ ${INPUT} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(.....................................................................................)"
  "\\1\n" bytes "${bytes}")
file(WRITE ${OUTPUT} "extern const char ${SYMBOL}[];\nconst char ${SYMBOL}[] = {\n${bytes}0};\n")
