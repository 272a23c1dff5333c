//! What is read, what is refused, and what follows from it. The md5sums are those of ROS 1's own packages, as every node of that system sends them.

use tokkyu_msg::{Array, Base, Builtin, Name, Types, parse_message, parse_service};

const HEADER: &str = "uint32 seq\ntime stamp\nstring frame_id\n";
const IMAGE: &str = "Header header\nuint32 height\nuint32 width\nstring encoding\nuint8 is_bigendian\nuint32 step\nuint8[] data\n";

fn name(text: &str) -> Name {
    Name::parse(text).unwrap()
}

fn types(definitions: &[(&str, &str)]) -> Types {
    let mut types = Types::new();
    for (name, text) in definitions {
        types.add(self::name(name), text).unwrap();
    }
    types
}

/// NODE-32.
#[test]
fn md5sums_are_those_of_ros() {
    let types = types(&[
        ("std_msgs/Header", HEADER),
        ("std_msgs/String", "string data # what is said"),
        ("std_msgs/Empty", "\n\n# nothing\n"),
        ("sensor_msgs/Image", IMAGE),
        ("geometry_msgs/Vector3", "float64 x\nfloat64 y\n  float64   z  \n"),
        ("geometry_msgs/Twist", "Vector3 linear\nVector3 angular"),
    ]);
    let sums = [
        ("std_msgs/Header", "2176decaecbce78abc3b96ef049fabed"),
        ("std_msgs/String", "992ce8a1687cec8c8bd883ec73ca41d1"),
        ("std_msgs/Empty", "d41d8cd98f00b204e9800998ecf8427e"),
        ("sensor_msgs/Image", "060021388200f6f0f447d0fcd9c64743"),
        ("geometry_msgs/Vector3", "4a842b65f413084dc2b10fb484ea7f17"),
        ("geometry_msgs/Twist", "9f195f881246fdfa2798d1d3eebca84a"),
    ];
    for (of, sum) in sums {
        assert_eq!(types.md5(&name(of)).unwrap(), sum, "{of}");
    }
}

#[test]
fn a_service_has_the_sum_of_both_halves() {
    let types = Types::new();
    let empty = parse_service("Empty.srv", "std_srvs", "---").unwrap();
    assert_eq!(types.md5_of_service(&empty).unwrap(), "d41d8cd98f00b204e9800998ecf8427e");
    let text = "bool data # e.g. for hardware enabling / disabling\n---\nbool success   # indicate successful run of triggered service\nstring message # informational, e.g. for error messages\n";
    let set_bool = parse_service("SetBool.srv", "std_srvs", text).unwrap();
    assert_eq!(types.md5_of_service(&set_bool).unwrap(), "09fb03525b03e7ea1fd3992bafd87e16");
    assert_eq!((set_bool.request.fields.len(), set_bool.response.fields.len()), (1, 2));
}

/// NODE-30, NODE-31.
#[test]
fn fields_and_constants_are_read_as_they_are_written() {
    let text = "int8 A=-128\nstring S =  what # is said  \nfloat32 F=1e3\nbool B=True\nchar[3] three # a comment = no constant\nHeader h\nother_msgs/Type[] o\nOwn[4] p";
    let read = parse_message("T.msg", "mine", text).unwrap();
    let constants: Vec<_> =
        read.constants.iter().map(|c| (c.of.as_str(), &c.name[..], &c.value[..])).collect();
    assert_eq!(
        constants,
        [
            ("int8", "A", "-128"),
            ("string", "S", "what # is said"),
            ("float32", "F", "1e3"),
            ("bool", "B", "True")
        ]
    );
    let fields: Vec<_> = read.fields.iter().map(|field| (field.of.to_string(), &field.name[..])).collect();
    let wanted =
        [("char[3]", "three"), ("std_msgs/Header", "h"), ("other_msgs/Type[]", "o"), ("mine/Own[4]", "p")];
    assert_eq!(fields, wanted.map(|(of, name)| (of.to_owned(), name)));
    assert_eq!(
        (read.fields[0].of.array, &read.fields[0].of.base),
        (Some(Array::Exactly(3)), &Base::Builtin(Builtin::Char))
    );
}

#[test]
fn what_is_wrong_is_told_with_its_line_and_the_remedy() {
    let cases = [
        ("int8 a\nint8", "mine/T:2: \"int8\" is neither a field nor a constant; write TYPE NAME"),
        ("int8 a b", "mine/T:1: \"int8 a b\" is neither"),
        ("int8 1a", "\"1a\" is no name of a field"),
        ("int8\ta", "is neither"),
        ("int8[x] a", "\"int8[x]\" is no type"),
        ("int8[-1] a", "is no type"),
        ("int8[+1] a", "is no type"),
        ("a/b/c d", "\"a/b/c\" is no type"),
        ("int8 a\n\nint8 a", "mine/T:3: a is there twice"),
        ("time T=1", "a constant cannot be a time"),
        ("Header H=1", "a constant cannot be a Header"),
        ("uint8 A=256", "256 is no uint8; write a whole number from 0 to 255"),
        ("int64 A=9223372036854775808", "is no int64"),
        ("float32 F=x", "x is no float32; write a number"),
        ("bool B=yes", "yes is no bool; write True, False, 0 or 1"),
        ("int8 =1", "\"\" is no name"),
    ];
    for (text, wanted) in cases {
        let error = Types::new().add(name("mine/T"), text).unwrap_err().to_string();
        assert!(error.contains(wanted), "{text:?}: {error}");
    }
    let halves = |text: &str| parse_service("S.srv", "mine", text).unwrap_err().to_string();
    assert!(halves("int8 a").contains("S.srv: 0 lines of ---"));
    assert!(halves("---\n---").contains("2 lines of ---"));
    assert!(halves("int8 a\n---\nint8").starts_with("S.srv:3: "));
    for text in ["", "a", "a/", "/a", "a/b/c", "1/b", "a/b-c"] {
        assert!(Name::parse(text).is_err(), "{text:?}");
    }
}

/// NODE-34.
#[test]
fn types_are_found_in_folders_the_first_one_first() {
    let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let write = |folder: &tempfile::TempDir, file: &str, text: &str| {
        let path = folder.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write(&folders[0], "a/msg/Top.msg", "b/Below x\nBeside y");
    write(&folders[1], "a/msg/Top.msg", "int8 never");
    write(&folders[1], "a/msg/Beside.msg", "string s");
    write(&folders[1], "b/msg/Below.msg", "int8 i");
    write(&folders[1], "b/msg/Round.msg", "About a");
    write(&folders[1], "b/msg/About.msg", "Round[] r");
    write(&folders[1], "b/msg/Open.msg", "Missing m");
    write(&folders[1], "a/srv/Ask.srv", "Top t\n---\nb/Below x");
    let mut types = Types::from_folders(folders.iter().map(|folder| folder.path()));
    types.load(&name("a/Top")).unwrap();
    assert_eq!(types.get(&name("a/Top")).unwrap().fields.len(), 2);
    assert!(types.md5(&name("a/Top")).is_ok());
    assert_eq!(types.load_service(&name("a/Ask")).unwrap().request.fields[0].name, "t");

    let circle = types.load(&name("b/Round")).unwrap_err().to_string();
    assert!(circle.contains("b/Round > b/About > b/Round"), "{circle}");
    let mut known = self::types(&[("b/Round", "About a"), ("b/About", "Round[] r")]);
    let circle = known.md5(&name("b/Round")).unwrap_err().to_string();
    assert!(circle.contains("b/Round has itself in it"), "{circle}");
    assert!(known.load(&name("b/Round")).is_err());
    let missing = types.load(&name("b/Open")).unwrap_err().to_string();
    assert!(
        missing.contains("b/Missing is not defined in ") && missing.contains("b/msg/Missing.msg"),
        "{missing}"
    );
}

/// NODE-33.
#[test]
fn the_whole_text_has_each_type_once() {
    let types = types(&[
        ("std_msgs/Header", HEADER),
        ("a/Inner", "Header h\n"),
        ("a/Outer", "Inner one\nHeader two\nInner[] more"),
    ]);
    let line = "=".repeat(80);
    let wanted = format!(
        "Inner one\nHeader two\nInner[] more\n{line}\nMSG: a/Inner\nHeader h\n\n{line}\nMSG: std_msgs/Header\n{HEADER}"
    );
    assert_eq!(types.full_text(&name("a/Outer")).unwrap(), wanted);
}

/// Each type's sum is made once, however often it is used.
#[test]
fn types_that_use_others_twice_each_are_no_tree() {
    let mut types = Types::new();
    types.add(name("deep/T0"), "int8 i").unwrap();
    for level in 1..60 {
        types.add(name(&format!("deep/T{level}")), &format!("T{0} a\nT{0} b", level - 1)).unwrap();
    }
    types.load(&name("deep/T59")).unwrap();
    assert_eq!(types.md5(&name("deep/T59")).unwrap().len(), 32);
    assert_eq!(types.full_text(&name("deep/T59")).unwrap().matches("MSG: ").count(), 59);
}
