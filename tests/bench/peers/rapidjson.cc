/* RapidJSON's SAX interface, reading the file piece by piece. */
#include <cstdio>
#include <rapidjson/error/en.h>
#include <rapidjson/filereadstream.h>
#include <rapidjson/reader.h>

#include "rows.h"

using namespace rapidjson;

/* Depths: the document is 1, the array of events 2, an event 3. */
class Handler : public BaseReaderHandler<UTF8<>, Handler>
{
  public:
    Rows rows;

    bool StartObject()
    {
        depth_++;
        if (depth_ == 3 && is_events_) {
            name_.clear();
            category_.clear();
            is_complete_ = false;
            dur_us_ = 0;
        }
        return true;
    }

    bool EndObject(SizeType)
    {
        if (depth_ == 3 && is_events_ && is_complete_)
            rows.add({name_, category_}, dur_us_);
        depth_--;
        return true;
    }

    bool StartArray()
    {
        depth_++;
        return true;
    }

    bool EndArray(SizeType)
    {
        depth_--;
        return true;
    }

    bool Key(const char *text, SizeType len, bool)
    {
        std::string_view key(text, len);
        if (depth_ == 1)
            is_events_ = key == "traceEvents";
        if (depth_ == 3)
            field_ = key == "ph"     ? PH
                     : key == "cat"  ? CAT
                     : key == "name" ? NAME
                     : key == "dur"  ? DUR
                                     : NONE;
        return true;
    }

    bool String(const char *text, SizeType len, bool)
    {
        if (!is_events_ || depth_ != 3)
            return true;
        if (field_ == PH)
            is_complete_ = len == 1 && text[0] == 'X';
        else if (field_ == CAT)
            category_.assign(text, len);
        else if (field_ == NAME)
            name_.assign(text, len);
        return true;
    }

    bool Double(double number)
    {
        if (is_events_ && depth_ == 3 && field_ == DUR)
            dur_us_ = number;
        return true;
    }

    bool Int(int number)
    {
        return Double(number);
    }

    bool Uint(unsigned number)
    {
        return Double(number);
    }

    bool Int64(int64_t number)
    {
        return Double(static_cast<double>(number));
    }

    bool Uint64(uint64_t number)
    {
        return Double(static_cast<double>(number));
    }

  private:
    enum { NONE, PH, CAT, NAME, DUR } field_ = NONE;
    int depth_ = 0;
    bool is_events_ = false;
    bool is_complete_ = false;
    std::string name_;
    std::string category_;
    double dur_us_ = 0;
};

int main(int argc, char **argv)
{
    FILE *file = argc == 2 ? std::fopen(argv[1], "rb") : nullptr;
    if (!file)
        return 2;
    static char buffer[256 * 1024];
    FileReadStream stream(file, buffer, sizeof(buffer));
    Handler handler;
    Reader reader;
    ParseResult result = reader.Parse(stream, handler);
    std::fclose(file);
    if (!result) {
        std::fprintf(stderr, "%s: byte %zu: %s\n", argv[1], result.Offset(),
                     GetParseError_En(result.Code()));
        return 1;
    }
    handler.rows.print();
    return 0;
}
