//! The headers that are made, and those that they need, against roscpp's: the same program is compiled against Debian's packages, against ours, and against Debian's
//! messages with our base, and is to print the same.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use tokkyu_msg::{Definition, Name, Wanted, cpp};

const SHARE: &str = "/usr/share";
const GENCPP: &str = "/usr/lib/gencpp/gen_cpp.py";
const CLEAN: [&str; 4] = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"];
const ROSCPP: [&str; 3] = ["-lroscpp_serialization", "-lrostime", "-lcpp_common"];

/// The last two come if they are there: they nest deepest.
const PACKAGES: [&str; 6] =
    ["std_msgs", "geometry_msgs", "sensor_msgs", "std_srvs", "nav_msgs", "visualization_msgs"];

/// What no installed package has.
const ODD: [(&str, &str); 9] = [
    (
        "msg/All.msg",
        "Header header\nbool a\nint8 b\nuint8 c\nint16 d\nuint16 e\nint32 f\nuint32 g\nint64 h\nuint64 i\nfloat32 j\nfloat64 k\nstring l\ntime m\n\
         duration n\nbyte o\nchar p\nbool[] a1\nint8[] b1\nuint8[] c1\nint16[] d1\nuint16[] e1\nint32[] f1\nuint32[] g1\nint64[] h1\nuint64[] i1\n\
         float32[] j1\nfloat64[] k1\nstring[] l1\ntime[] m1\nduration[] n1\nbyte[] o1\nchar[] p1\nbool[2] a2\nint8[3] b2\nuint8[4] c2\nint16[5] d2\n\
         uint16[6] e2\nint32[7] f2\nuint32[8] g2\nint64[9] h2\nuint64[10] i2\nfloat32[2] j2\nfloat64[3] k2\nstring[2] l2\ntime[2] m2\nduration[3] n2\n\
         byte[2] o2\nchar[3] p2\nFixed one\nFixed[] many\nFixed[2] two\nText[] texts\nText[3] three\ngeometry_msgs/Point32[] points\n",
    ),
    (
        "msg/Fixed.msg",
        "int8 a\ntime b\nfloat64[3] c\ngeometry_msgs/Pose[2] d\nbyte STILL=-3\nint64 FAR=-9000000000\nuint8 e",
    ),
    (
        "msg/Constants.msg",
        "bool YES=True\nbool NO=False\nint8 LEAST=-128\nuint16 WORD=65535\nint32 BELOW=-2147483648\nchar LETTER=97\nbyte BITS=-1\nfloat32 THIRD=0.3333333333\n\
         float64 EXACT=1e3\nfloat64 TINY=.5e-300\nfloat32 WHOLE=7\nfloat64 ZEROS=010\nfloat64 MINUS=-0.0\nstring EMPTY=\nstring SAID=  \"so\", he said \\n # and no comment \n\
         string SAME=%s %d {} 'x'\nstring[] words\n",
    ),
    (
        "msg/Great.msg",
        "uint64 MOST=18446744073709551615\nuint32 WORD=4294967295\nuint8 SMALL=0\nint64 FAR=9223372036854775807\n",
    ),
    (
        "msg/Text.msg",
        "# \"quoted\" \\ backslash \\n \\\" \t tab, é, 車, %s, //, /* */, 'x', \\\nstring text # trailing   \n\n   \n# no end of line",
    ),
    ("msg/HeaderLater.msg", "int8 a\nHeader header\n"),
    ("msg/HeaderNamed.msg", "Header head\nstring s\n"),
    (
        "srv/Ask.srv",
        "# what\nint8 KIND=3\nstring question\nAll all\n\n---\n\n# answer\nuint8 GOOD=1\nText[] answers\nFixed fixed\n\n",
    ),
    ("srv/Nothing.srv", "---\n"),
];

/// Nothing gencpp or roscpp can do, or nothing that they do right.
const OURS: [(&str, &str); 5] = [
    ("msg/Empties.msg", "std_msgs/Empty[] all\n"),
    ("msg/Zero.msg", "uint8[0] a\nstring[0] b\ngeometry_msgs/Pose[0] c\nuint8[] d\nfloat64[0] e\n"),
    ("msg/Deep.msg", "Part[] parts\nPart[2] pair\n"),
    ("msg/Part.msg", "string[] names\nfloat64[] values\ngeometry_msgs/Pose[] poses\ntime[2] times\n"),
    (
        "msg/Extremes.msg",
        "# ??/\nint64 LEAST=-9223372036854775808\nuint64 MOST=18446744073709551615\nint8 SMALL=-1\nfloat64 ENDLESS=inf\nfloat32 BELOW=-inf\nfloat32 NONE=nan\nfloat64 TEN=010\n\
         string QUESTION=what??=??/ \\ \"so\" é1\n# LONG\n",
    ),
];

/// One compiler at a time: it takes a processor and half a gigabyte.
static COMPILER: Mutex<()> = Mutex::new(());

fn missing(what: &[&str]) -> bool {
    let gone = what.iter().find(|path| !Path::new(path).exists());
    if let Some(path) = gone {
        println!(
            "skipped: no {path}; apt-get install g++ libboost-dev libroscpp-core-dev librosconsole-dev libstd-msgs-dev libgeometry-msgs-dev libsensor-msgs-dev libstd-srvs-dev \
             ros-std-msgs ros-geometry-msgs ros-sensor-msgs ros-std-srvs python3-gencpp"
        );
    }
    gone.is_some()
}

fn no_compiler() -> bool {
    missing(&["/usr/bin/g++", "/usr/include/boost/shared_ptr.hpp", "/usr/include/boost/date_time"])
}

fn no_messages() -> bool {
    missing(&["/usr/share/std_msgs/msg", "/usr/share/sensor_msgs/msg", "/usr/share/geometry_msgs/msg"])
}

fn no_roscpp() -> bool {
    missing(&[
        "/usr/include/ros/time.h",
        "/usr/include/ros/static_assert.h",
        "/usr/include/std_msgs/String.h",
        "/usr/include/geometry_msgs/Pose.h",
        "/usr/include/sensor_msgs/Image.h",
        "/usr/include/std_srvs/Empty.h",
        "/usr/share/std_srvs/srv",
        GENCPP,
    ])
}

fn tests_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cpp")
}

fn base() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../cpp/include")
}

/// A program to be: its source, and against which headers.
struct Build<'a> {
    source: &'a Path,
    includes: &'a [&'a Path],
    flags: &'a [&'a str],
    /// Folders from which no header may come.
    never: &'a [&'a str],
}

impl Build<'_> {
    /// Compiles it and returns what it prints.
    fn run(&self, folder: &Path, name: &str) -> String {
        let program = self.compile(folder, name);
        // One that waits for what never comes is not waited for.
        let output = succeed(Command::new("/usr/bin/timeout").arg("120").arg(&program));
        // Any bytes are letters of Latin-1.
        output.iter().map(|byte| char::from(*byte)).collect()
    }

    fn compile(&self, folder: &Path, name: &str) -> PathBuf {
        let program = folder.join(format!("{name}.program"));
        let list = folder.join(format!("{name}.d"));
        let mut compiler = Command::new("/usr/bin/g++");
        compiler.args(["-O0", "-pthread", "-MD", "-MF"]).arg(&list).arg("-o").arg(&program).arg(self.source);
        for include in self.includes.iter().copied().chain([tests_folder().as_path()]) {
            compiler.arg("-I").arg(include);
        }
        compiler.args(self.flags);
        {
            let _alone = COMPILER.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            succeed(&mut compiler);
        }
        let list = std::fs::read_to_string(&list).unwrap();
        let wrong: Vec<&str> = list
            .split_whitespace()
            .filter(|path| self.never.iter().any(|never| path.starts_with(never)))
            .collect();
        assert!(wrong.is_empty(), "{name} is made with {wrong:?}");
        program
    }
}

fn succeed(command: &mut Command) -> Vec<u8> {
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    let printed = String::from_utf8_lossy(&output.stdout);
    let errors: String = errors.chars().take(3000).collect();
    assert!(output.status.success(), "{command:?}: {}\n{printed}\n{errors}", output.status);
    output.stdout
}

/// The first line that differs, with what it belongs to.
fn assert_same(ours: &str, theirs: &str, what: &str) {
    if ours == theirs {
        return;
    }
    let mut section = "";
    for (ours, theirs) in ours.split('\n').zip(theirs.split('\n')) {
        if ours.starts_with("==== ") {
            section = ours;
        }
        assert_eq!(ours, theirs, "{what}: {section}");
    }
    panic!("{what}: one of both goes on");
}

fn write_package(share: &Path, files: &[(&str, &str)]) {
    for (file, text) in files {
        let path = share.join("odd").join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text.replace("LONG", &"x".repeat(5000))).unwrap();
    }
}

/// `PACKAGE/NAME` of all definitions of a kind.
fn names(folder: &Path, package: &str, kind: &str) -> Vec<String> {
    let Ok(files) = std::fs::read_dir(folder.join(package).join(kind)) else {
        return Vec::new();
    };
    let ending = format!(".{kind}");
    let files = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> =
        files.filter_map(|file| Some(format!("{package}/{}", file.strip_suffix(&ending)?))).collect();
    names.sort();
    names
}

/// All of the packages that are installed, and the odd one.
fn everything(share: &Path) -> Wanted {
    let mut wanted = Wanted::from_folders([share, Path::new(SHARE)]);
    let installed = PACKAGES.iter().filter(|package| Path::new("/usr/include").join(package).exists());
    let places = installed.map(|package| (Path::new(SHARE), *package)).chain([(share, "odd")]);
    for (folder, package) in places {
        for name in names(folder, package, "msg") {
            wanted.message(&name).unwrap();
        }
        for name in names(folder, package, "srv") {
            wanted.service(&name).unwrap();
        }
    }
    wanted
}

/// gencpp's headers of the odd package.
fn run_gencpp(share: &Path, out: &Path) {
    for (file, _) in ODD {
        let mut command = Command::new("/usr/bin/python3");
        command.arg(GENCPP).arg(share.join("odd").join(file)).args([
            "-p",
            "odd",
            "-e",
            "/usr/share/gencpp",
            "-o",
        ]);
        command.arg(out.join("odd")).arg(format!("-Iodd:{}", share.join("odd/msg").display()));
        command
            .args(["std_msgs", "geometry_msgs"].map(|package| format!("-I{package}:{SHARE}/{package}/msg")));
        succeed(&mut command);
    }
}

/// Whether it, or a message in it, has no fields.
fn has_empty(wanted: &Wanted, definition: &Definition) -> bool {
    definition.fields.is_empty()
        || definition.uses().any(|name| wanted.types().get(name).is_some_and(|used| has_empty(wanted, used)))
}

/// A program that shows each type: its fields are named in the order of its definition, which is the parser's, not the generator's.
fn program(wanted: &Wanted) -> String {
    let [mut includes, mut declared, mut fills, mut shows] = [const { String::new() }; 4];
    let messages = wanted.messages_and_used();
    let mut all: Vec<(Name, &Definition)> =
        messages.into_iter().map(|name| (name.clone(), wanted.types().get(name).unwrap())).collect();
    for (name, service) in wanted.services() {
        let half = |which: &str| Name { package: name.package.clone(), own: format!("{}{which}", name.own) };
        all.extend([(half("Request"), &service.request), (half("Response"), &service.response)]);
        let _ = writeln!(includes, "#include <{name}.h>");
        let _ = writeln!(shows, "    show_service<{}>(\"{name}\");", name.to_string().replace('/', "::"));
    }
    for (name, definition) in all {
        let class = format!("::{}::{}", name.package, name.own);
        let _ = writeln!(includes, "#include <{name}.h>");
        let _ = writeln!(declared, "void fill(Random &random, {class} &to);");
        let lines: String =
            definition.fields.iter().map(|field| format!(" fill(random, to.{});", field.name)).collect();
        let _ =
            writeln!(fills, "void fill(Random &random, {class} &to) {{ (void)random, (void)to;{lines} }}");
        if has_empty(wanted, definition) {
            let _ = writeln!(fills, "template <> struct HasEqual<{class}> : std::false_type {{}};");
        }
        let _ = writeln!(shows, "    show<{class}>(\"{name}\");");
        for constant in &definition.constants {
            let _ = writeln!(shows, "    show_constant(\"{0}\", {class}::{0});", constant.name);
        }
    }
    format!("{includes}#include <messages.h>\n\n{declared}{fills}\nint main()\n{{\n{shows}}}\n")
}

/// NODE-38.
#[test]
fn messages_are_what_they_are_with_roscpp() {
    if no_compiler() || no_messages() || no_roscpp() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let [share, theirs, ours] = ["share", "theirs", "ours"].map(|name| folder.path().join(name));
    write_package(&share, &ODD);
    run_gencpp(&share, &theirs);
    let wanted = everything(&share);
    let headers = cpp::generate(&wanted, &ours).unwrap();
    let source = folder.path().join("messages.cpp");
    std::fs::write(&source, program(&wanted)).unwrap();

    let base = base();
    let roscpp = [&["-std=c++17", "-w"][..], &ROSCPP].concat();
    let clean = [&["-std=c++17"][..], &CLEAN].concat();
    let installed: Vec<String> = PACKAGES.iter().map(|package| format!("/usr/include/{package}/")).collect();
    let never: Vec<&str> = installed.iter().map(String::as_str).chain(["/usr/include/ros/"]).collect();
    let wanted_output = Build { source: &source, includes: &[&theirs], flags: &roscpp, never: &[] }
        .run(folder.path(), "roscpp");
    let both = Build { source: &source, includes: &[&ours, &base], flags: &clean, never: &never };
    assert_same(&both.run(folder.path(), "ours"), &wanted_output, "our messages, our base");
    let mixed =
        Build { source: &source, includes: &[&theirs, &base], flags: &clean, never: &["/usr/include/ros/"] };
    assert_same(&mixed.run(folder.path(), "mixed"), &wanted_output, "their messages, our base");
    let shown = wanted_output.matches("==== ").count();
    println!("{} headers, {shown} types the same", headers.len());
    assert!(shown > 100, "{shown} types");
}

/// Against roscpp's headers, then ours, in each of the standards.
fn same_with_roscpp(source: &str, standards: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let (source, base) = (tests_folder().join(source), base());
    let roscpp = [&["-std=c++17", "-w"][..], &ROSCPP].concat();
    let theirs =
        Build { source: &source, includes: &[], flags: &roscpp, never: &[] }.run(folder.path(), "roscpp");
    for standard in standards {
        let clean = [&[*standard][..], &CLEAN].concat();
        let ours =
            Build { source: &source, includes: &[&base], flags: &clean, never: &["/usr/include/ros/"] };
        assert_same(&ours.run(folder.path(), standard), &theirs, standard);
    }
    theirs
}

/// NODE-39.
#[test]
fn times_are_counted_as_by_roscpp() {
    if no_compiler() || no_roscpp() {
        return;
    }
    let lines = same_with_roscpp("time.cpp", &["-std=c++14", "-std=c++17"]).lines().count();
    println!("{lines} lines the same");
    assert!(lines > 100_000, "{lines} lines");
}

/// NODE-39.
#[test]
fn simulated_time_is_slept_in_as_with_roscpp() {
    if no_compiler() || no_roscpp() {
        return;
    }
    let printed = same_with_roscpp("simulated.cpp", &["-std=c++17"]);
    assert_eq!(printed.lines().next(), Some("a second: 11"));
}

/// NODE-38.
#[test]
fn events_and_types_of_a_nodes_own_are_as_with_roscpp() {
    if no_compiler() || no_roscpp() {
        return;
    }
    let printed = same_with_roscpp("event.cpp", &["-std=c++14"]);
    assert!(printed.contains("assigned 101said115.000000006/talker11"), "{printed}");
}

/// NODE-38. The address and undefined behaviour sanitizers look on.
#[test]
fn input_that_lies_is_refused_and_takes_no_memory() {
    if no_compiler() || no_messages() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let [share, out] = ["share", "out"].map(|name| folder.path().join(name));
    write_package(&share, &OURS);
    let mut wanted = Wanted::from_folders([share.as_path(), Path::new(SHARE)]);
    for name in names(&share, "odd", "msg") {
        wanted.message(&name).unwrap();
    }
    for name in ["PointCloud2", "PointCloud", "JointState"] {
        wanted.message(&format!("sensor_msgs/{name}")).unwrap();
    }
    wanted.message("std_msgs/String").unwrap().message("std_msgs/Float64MultiArray").unwrap();
    cpp::generate(&wanted, &out).unwrap();
    let base = base();
    let flags =
        [&["-std=c++14", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"][..], &CLEAN].concat();
    let source = tests_folder().join("hostile.cpp");
    let build =
        Build { source: &source, includes: &[&out, &base], flags: &flags, never: &["/usr/include/ros/"] };
    assert_eq!(build.run(folder.path(), "hostile"), "");
}

fn made(folder: &Path) -> BTreeSet<PathBuf> {
    let packages = std::fs::read_dir(folder).unwrap().map(|package| package.unwrap().path());
    packages
        .flat_map(|package| std::fs::read_dir(package).unwrap())
        .map(|file| file.unwrap().path())
        .collect()
}

/// NODE-39.
#[test]
fn a_library_that_hides_its_own_has_the_programs_clock() {
    if no_compiler() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (source, base) = (tests_folder().join("library.cpp"), base());
    let hidden = [&["-std=c++17", "-fvisibility=hidden"][..], &CLEAN].concat();
    let shared = [&["-DLIBRARY", "-shared", "-fPIC"][..], &hidden].concat();
    let library =
        Build { source: &source, includes: &[&base], flags: &shared, never: &["/usr/include/ros/"] };
    let library = library.compile(folder.path(), "library");
    let flags = [&hidden[..], &[library.to_str().unwrap()]].concat();
    let program = Build { source: &source, includes: &[&base], flags: &flags, never: &["/usr/include/ros/"] };
    assert_eq!(program.run(folder.path(), "program"), "no clock, 42.000000000");
}

#[test]
fn headers_are_written_where_they_belong_and_only_when_they_change() {
    let folder = tempfile::tempdir().unwrap();
    let [share, out] = ["share", "out"].map(|name| folder.path().join(name));
    write_package(
        &share,
        &[("msg/Top.msg", "Below[] b\n"), ("msg/Below.msg", "int8 i\n"), ("srv/Ask.srv", "Below b\n---\n")],
    );
    let wanted = || {
        let mut wanted = Wanted::from_folders([&share]);
        wanted.message("odd/Top").unwrap().service("odd/Ask").unwrap();
        wanted
    };
    let paths: BTreeSet<PathBuf> = cpp::generate(&wanted(), &out).unwrap().into_iter().collect();
    let expected =
        ["Top", "Below", "Ask", "AskRequest", "AskResponse"].map(|name| out.join(format!("odd/{name}.h")));
    assert_eq!(paths, BTreeSet::from(expected));
    assert_eq!(paths, made(&out));

    // Whatever is written anew gets a time of its own.
    let long_ago = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1);
    let date = |path: &Path| std::fs::metadata(path).unwrap().modified().unwrap();
    for path in &paths {
        std::fs::File::options().write(true).open(path).unwrap().set_modified(long_ago).unwrap();
    }
    write_package(&share, &[("msg/Below.msg", "int8 i # and a comment\n")]);
    cpp::generate(&wanted(), &out).unwrap();
    let changed: Vec<bool> = ["Below", "Top", "AskRequest", "Ask", "AskResponse"]
        .iter()
        .map(|name| date(&out.join(format!("odd/{name}.h"))) != long_ago)
        .collect();
    assert_eq!(changed, [true, true, true, false, false], "a definition has the texts of those it uses");
}

#[test]
fn what_cannot_be_made_says_why() {
    let folder = tempfile::tempdir().unwrap();
    write_package(folder.path(), &[("msg/Top.msg", "int8 i\n")]);
    let mut wanted = Wanted::from_folders([folder.path()]);
    wanted.message("odd/Top").unwrap();
    // A file where a folder is to be.
    let out = folder.path().join("odd/msg/Top.msg");
    let error = cpp::generate(&wanted, &out).unwrap_err().to_string();
    assert!(error.contains("odd/Top.h: cannot be written: ") && error.contains("give a folder"), "{error}");

    let mut types = tokkyu_msg::Types::new();
    types.add(Name::parse("odd/Open").unwrap(), "odd/Missing m").unwrap();
    let error = cpp::header(&types, &Name::parse("odd/Open").unwrap()).unwrap_err().to_string();
    assert!(error.contains("odd/Missing is not defined"), "{error}");
    let error = cpp::header(&types, &Name::parse("odd/Nowhere").unwrap()).unwrap_err().to_string();
    assert!(error.contains("odd/Nowhere is not defined"), "{error}");
}
