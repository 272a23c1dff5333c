// Names for the containers of strings that interfaces take.
#pragma once
#include <boost/shared_ptr.hpp>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ros {

typedef std::vector<std::pair<std::string, std::string>> VP_string;
typedef std::vector<std::string> V_string;
typedef std::set<std::string> S_string;
typedef std::map<std::string, std::string> M_string;
typedef std::pair<std::string, std::string> StringPair;
typedef boost::shared_ptr<M_string> M_stringPtr;

} // namespace ros
