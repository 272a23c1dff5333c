// Pictures as files: reads colour (PPM, netpbm's P6, 8 bits) and writes grey (PGM, P5), which every picture viewer shows.
// Errors are std::runtime_error and name file, field and remedy. Memory is bounded by what the file really holds.
#pragma once
#include "grey.hpp"
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <istream>
#include <stdexcept>
#include <string>
#include <vector>

struct ColourPicture {
    int width = 0;
    int height = 0;
    // Red, green, blue; row by row, without gaps.
    std::vector<std::uint8_t> pixels;
};

[[noreturn]] inline void refuse(const std::string &name, const std::string &why) {
    throw std::runtime_error(name + ": " + why);
}

// Passes over white space and comments, which go from # to the end of the line.
inline void skip_ppm_space(std::istream &in) {
    for (int next = in.peek(); next == '#' || std::isspace(next); next = in.peek()) {
        if (in.get() != '#') continue;
        while (in && in.get() != '\n') {}
    }
}

// A decimal number from low to high.
inline int read_ppm_number(std::istream &in, const std::string &name, const char *field, int low, int high) {
    skip_ppm_space(in);
    if (!std::isdigit(in.peek())) refuse(name, std::string(field) + " is not a number; give a PPM file (P6)");
    int number = 0;
    while (std::isdigit(in.peek()) && number <= high) number = number * 10 + (in.get() - '0');
    if (number < low || number > high) {
        refuse(name, std::string(field) + " is not " + std::to_string(low) + " to " + std::to_string(high));
    }
    return number;
}

inline ColourPicture parse_ppm(std::istream &in, const std::string &name) {
    constexpr int MAX_SIDE = 1 << 14;
    if (in.get() != 'P' || in.get() != '6') refuse(name, "does not begin with P6; give a PPM file in binary");
    ColourPicture picture;
    picture.width = read_ppm_number(in, name, "width", 1, MAX_SIDE);
    picture.height = read_ppm_number(in, name, "height", 1, MAX_SIDE);
    read_ppm_number(in, name, "maxval", 255, 255);
    if (!std::isspace(in.get())) refuse(name, "no white space after maxval; give a PPM file in binary");
    // A row at a time: a header that promises more than there is gets no memory for it.
    const std::size_t row_bytes = static_cast<std::size_t>(picture.width) * 3;
    for (int y = 0; y < picture.height; ++y) {
        const std::size_t before = picture.pixels.size();
        picture.pixels.resize(before + row_bytes);
        if (!in.read(reinterpret_cast<char *>(picture.pixels.data() + before), static_cast<std::streamsize>(row_bytes))) {
            refuse(name, "ends in row " + std::to_string(y) + " of " + std::to_string(picture.height) + "; write it again");
        }
    }
    return picture;
}

inline ColourPicture read_ppm(const std::filesystem::path &path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) refuse(path.string(), "cannot be read; is it there, and may you read it?");
    return parse_ppm(in, path.string());
}

// All pictures *.ppm of a folder in the order of their names.
inline std::vector<ColourPicture> read_ppm_folder(const std::string &folder) {
    std::vector<std::filesystem::path> paths;
    std::error_code failure;
    for (const auto &entry : std::filesystem::directory_iterator(folder, failure)) {
        if (entry.path().extension() == ".ppm") paths.push_back(entry.path());
    }
    if (failure) refuse(folder, failure.message() + "; give a folder with PPM files");
    if (paths.empty()) refuse(folder, "has no *.ppm in it; give a folder with PPM files");
    std::sort(paths.begin(), paths.end());
    std::vector<ColourPicture> pictures;
    for (const auto &path : paths) pictures.push_back(read_ppm(path));
    return pictures;
}

inline void write_pgm(const std::filesystem::path &path, const GreyView &picture) {
    std::ofstream out(path, std::ios::binary);
    out << "P5\n" << picture.width << ' ' << picture.height << "\n255\n";
    for (int y = 0; y < picture.height; ++y) {
        out.write(reinterpret_cast<const char *>(picture.row(y)), picture.width);
    }
    if (!out.flush()) refuse(path.string(), "cannot be written; is the folder there, and is there room?");
}
