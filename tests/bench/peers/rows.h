/* rows.h: what each peer finds out: count, sum, minimum and maximum of the complete events'
 * durations per name and category. */
#ifndef OT_TESTS_BENCH_PEERS_ROWS_H
#define OT_TESTS_BENCH_PEERS_ROWS_H

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <unordered_map>

struct KeyView {
    std::string_view name;
    std::string_view category;
};

struct Key {
    std::string name;
    std::string category;
    operator KeyView() const
    {
        return {name, category};
    }
};

struct KeyHash {
    using is_transparent = void;
    size_t operator()(KeyView key) const
    {
        std::hash<std::string_view> hash;
        return hash(key.name) * 31 + hash(key.category);
    }
};

struct KeyEqual {
    using is_transparent = void;
    bool operator()(KeyView a, KeyView b) const
    {
        return a.name == b.name && a.category == b.category;
    }
};

struct Row {
    unsigned long calls = 0;
    double sum_us = 0;
    double min_us = 1e300;
    double max_us = -1e300;
};

class Rows
{
  public:
    void add(KeyView key, double dur_us)
    {
        auto found = rows_.find(key);
        if (found == rows_.end())
            found =
                rows_.emplace(Key{std::string(key.name), std::string(key.category)}, Row{}).first;
        Row &row = found->second;
        row.calls++;
        row.sum_us += dur_us;
        row.min_us = std::min(row.min_us, dur_us);
        row.max_us = std::max(row.max_us, dur_us);
    }

    /* The line by which tests/bench/ingest holds the peers equal. */
    void print() const
    {
        unsigned long calls = 0;
        double sum_us = 0;
        for (const auto &[key, row] : rows_) {
            calls += row.calls;
            sum_us += row.sum_us;
        }
        std::printf("%zu %lu %.0f\n", rows_.size(), calls, sum_us);
    }

  private:
    std::unordered_map<Key, Row, KeyHash, KeyEqual> rows_;
};

#endif
