// Everything around the detector that needs no ROS: pictures_test PPM PGM, where PGM is PPM made grey by another program.
#include "checks.hpp"
#include "checksum.hpp"
#include "features.hpp"
#include "ppm.hpp"
#include <functional>
#include <iterator>
#include <random>
#include <sstream>

namespace {
// What refuses says; nothing if it does not.
std::string refusal(const std::string &file) {
    std::istringstream in(file);
    try {
        parse_ppm(in, "x.ppm");
    } catch (const std::runtime_error &error) {
        return error.what();
    }
    return "";
}

void a_whole_file_is_read() {
    std::istringstream in(std::string("P6 # made by hand\n2\n#x\n1 255\nabcdef", 36));
    const ColourPicture picture = parse_ppm(in, "x.ppm");
    check(picture.width == 2 && picture.height == 1, "width and height are read past comments");
    check(std::string(picture.pixels.begin(), picture.pixels.end()) == "abcdef", "pixels are read");
}

void a_broken_file_is_refused_by_field() {
    const std::pair<std::string, std::string> CASES[] = {
        {"", "P6"}, {"P5 1 1 255\na", "P6"}, {"P6", "width"}, {"P6 x", "width"}, {"P6 -1 1 255\n", "width"},
        {"P6 0 1 255\n", "width"}, {"P6 99999999999999999999 1 255\n", "width"}, {"P6 1 16385 255\n", "height"},
        {"P6 1 1 65535\n", "maxval"}, {"P6 1 1 255", "white space"}, {"P6 1 1 255\nab", "row 0 of 1"},
        {"P6 16384 16384 255\nab", "row 0 of 16384"}, {"P6 # never ends", "width"}};
    for (const auto &[file, field] : CASES) {
        check(refusal(file).find("x.ppm: ") == 0 && refusal(file).find(field) != std::string::npos,
              "\"" + file + "\" is refused by " + field + ": " + refusal(file));
    }
}

void a_damaged_file_is_read_or_refused(std::mt19937 &chance) {
    const std::string whole = "P6\n# picture\n3 2\n255\nabcdefghijklmnopqr";
    int refused = 0;
    for (int round = 0; round < 20'000; ++round) {
        std::string file = whole.substr(0, chance() % (whole.size() + 1));
        for (int changes = chance() % 4; changes > 0 && !file.empty(); --changes) {
            file[chance() % file.size()] = static_cast<char>(chance());
        }
        refused += refusal(file).empty() ? 0 : 1;
    }
    check(refused > 10'000 && refused < 20'000, "some are refused and some are read");
}

void what_is_written_is_a_pgm(const std::filesystem::path &folder) {
    const std::uint8_t pixels[] = {'a', 'b', '-', 'c', 'd', '-'};
    write_pgm(folder / "written.pgm", {pixels, 2, 2, 3});
    std::ifstream in(folder / "written.pgm", std::ios::binary);
    const std::string file{std::istreambuf_iterator<char>(in), {}};
    check(file == "P5\n2 2\n255\nabcd", "a PGM has its rows without what stands between them");
    std::filesystem::remove(folder / "written.pgm");
}

void grey_is_what_another_program_makes(const std::string &ppm, const std::string &pgm) {
    const ColourPicture picture = read_ppm(ppm);
    std::string grey;
    for (std::size_t at = 0; at < picture.pixels.size(); at += 3) {
        grey += static_cast<char>(luma(picture.pixels[at], picture.pixels[at + 1], picture.pixels[at + 2]));
    }
    std::ifstream in(pgm, std::ios::binary);
    const std::string file{std::istreambuf_iterator<char>(in), {}};
    check(!grey.empty() && file.size() > grey.size() && file.substr(file.size() - grey.size()) == grey,
          ppm + " is made as grey as " + pgm);
    check(luma(0, 0, 0) == 0 && luma(255, 255, 255) == 255, "black stays black, and white white");
}

void features_are_drawn_counted_and_masked() {
    std::vector<std::uint8_t> picture(5 * 4, 201), features(5 * 4, 77), masked(5 * 4);
    draw_features({{0, 0, 20}, {3, 2, 0}}, {features.data(), 5, 4, 5});
    const std::vector<std::uint8_t> drawn = {20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 0, 0, 0, 0, 0, 0};
    check(features == drawn, "a feature is as bright as its score, white without one, and all else black");
    check(count_features({features.data(), 5, 4, 5}) == 2, "two features are counted");
    mask_features({picture.data(), 5, 4, 5}, {features.data(), 5, 4, 5}, {masked.data(), 5, 4, 5});
    const std::vector<std::uint8_t> expected = {255, 255, 100, 100, 100, 255, 255, 255, 255, 255,
                                                100, 100, 255, 255, 255, 100, 100, 255, 255, 255};
    check(masked == expected, "white squares, cut off at the edge, on a picture half as bright");
}

// Values from the algorithm's own page, draft-eastlake-fnv.
void the_checksum_is_fnv1a() {
    const std::uint8_t text[] = {'f', 'o', 'o', '-', 'b', 'a', 'r', '-'};
    check(fnv1a({text, 0, 0, 0}) == 0xcbf29ce484222325, "of nothing");
    check(fnv1a({text, 1, 1, 1}) == 0xaf63db4c8601ead9, "of f");
    check(fnv1a({text, 3, 2, 4}) == 0x85944171f73967e8, "of foobar in two rows");
    check(fnv1a({text + 4, 3, 1, 3}, fnv1a({text, 3, 1, 3})) == 0x85944171f73967e8, "of bar after foo");
}
} // namespace

int main(int argc, char **argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: pictures_test PPM PGM\n");
        return 2;
    }
    std::mt19937 chance(2);
    a_whole_file_is_read();
    a_broken_file_is_refused_by_field();
    a_damaged_file_is_read_or_refused(chance);
    what_is_written_is_a_pgm(std::filesystem::temp_directory_path());
    grey_is_what_another_program_makes(argv[1], argv[2]);
    features_are_drawn_counted_and_masked();
    the_checksum_is_fnv1a();
    return outcome("pictures_test");
}
