//! `system.rs`: the system's statics, and what its port is told of its programs.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::header::kind;
use crate::system::{Object, Place, Protocol, Routine, System};

/// Names of the statics, and of the objects' types, by kind (header.rs).
const STATICS: [(&str, &str, &str); 9] = [
    ("SEMAPHORES", "Semaphore", "semaphores"),
    ("EVENT_FLAGS", "EventFlag", "event_flags"),
    ("DATA_QUEUES", "DataQueue", "data_queues"),
    ("PRIORITY_QUEUES", "PriorityQueue", "priority_queues"),
    ("MUTEXES", "Mutex", "mutexes"),
    ("MEMORY_POOLS", "MemoryPool", "memory_pools"),
    ("SPIN_LOCKS", "SpinLock", "spin_locks"),
    ("CYCLICS", "Cyclic", "cyclics"),
    ("ALARMS", "Alarm", "alarms"),
];

/// The image's program.
pub fn rust(system: &System) -> String {
    let mut out = String::from("// Made of the configuration.\n\n");
    out += "unsafe extern \"C\" {\n";
    for function in system.routines().map(|routine| &*routine.function).collect::<BTreeSet<&str>>() {
        out += &format!("    fn r#{function}(exinf: isize);\n");
    }
    let handlers = system.lines.values().filter_map(|line| line.handler.as_ref()).map(|(handler, _)| handler);
    for handler in handlers.collect::<BTreeSet<_>>() {
        out += &format!("    fn r#{handler}();\n");
    }
    if let Some((handler, _)) = &system.overrun {
        out += &format!("    fn r#{handler}(tskid: i32, exinf: isize);\n");
    }
    out += "}\n\n";
    out += &statics(system);
    out += &programs(system);
    out += END;
    out
}

fn assignment(Place { processor, may_move_to }: Place) -> String {
    format!("::tokkyu_rtos::Assignment {{ processor: {processor}, may_move_to: {may_move_to} }}")
}

fn statics(system: &System) -> String {
    let mut out = String::new();
    let processors = system.processors;
    let _ = writeln!(
        out,
        "static PROCESSORS: [::tokkyu_rtos::Processor; {processors}] = [const {{ ::tokkyu_rtos::Processor::new() }}; {processors}];"
    );
    for (at, task) in system.tasks.iter().enumerate() {
        let bytes = task.is.stack_bytes;
        let _ = writeln!(
            out,
            "#[unsafe(link_section = \".stacks.tasks\")]\nstatic STACK_{at}: ::tokkyu_rtos_aarch64::Stack<{bytes}> = \
             ::tokkyu_rtos_aarch64::Stack::new();"
        );
    }
    let count = system.tasks.len();
    let _ = writeln!(out, "static RANGES: [::tokkyu_rtos_aarch64::StackRange; {count}] = [");
    (0..count).for_each(|at| out += &format!("    STACK_{at}.range(),\n"));
    let _ = writeln!(out, "];\nstatic TASKS: [::tokkyu_rtos::Task; {count}] = [");
    for task in &system.tasks {
        let Place { processor, may_move_to } = task.is.place;
        let _ = writeln!(
            out,
            "    ::tokkyu_rtos::Task::new(::tokkyu_rtos::TaskConfig {{ priority: {}, processor: {processor}, may_move_to: \
             {may_move_to}, active: {}, exinf: {} }}),",
            task.is.priority, task.is.active, task.is.routine.exinf
        );
    }
    out += "];\n";
    for (place, (name, kind_of, _)) in STATICS.iter().enumerate() {
        let of_kind: Vec<&Object> =
            system.objects.iter().map(|object| &object.is).filter(|object| kind(object) == place).collect();
        for (at, object) in of_kind.iter().enumerate() {
            out += &room(name, at, object);
        }
        let _ = writeln!(out, "static {name}: [::tokkyu_rtos::{kind_of}; {}] = [", of_kind.len());
        for (at, object) in of_kind.iter().enumerate() {
            out += &format!("    ::tokkyu_rtos::{kind_of}::new({}),\n", arguments(name, at, object));
        }
        out += "];\n";
    }
    let _ = writeln!(out, "static LINES: [::tokkyu_rtos_aarch64::Line; {}] = [", system.lines.len());
    for (number, line) in &system.lines {
        if let Some((enabled, priority, processor, _)) = line.configured {
            let _ = writeln!(
                out,
                "    ::tokkyu_rtos_aarch64::Line {{ number: {number}, processor: {processor}, priority: {priority}, enabled: {enabled} }},"
            );
        }
    }
    out + "];\n"
}

/// Memory that an object has beside itself.
fn room(name: &str, at: usize, object: &Object) -> String {
    match object {
        Object::DataQueue { cells, .. } => {
            let cell = "::tokkyu_rtos::DataCell";
            format!("static {name}_CELLS_{at}: [{cell}; {cells}] = [const {{ {cell}::new() }}; {cells}];\n")
        }
        Object::PriorityQueue { cells, .. } => {
            let cell = "::tokkyu_rtos::PriorityCell";
            format!("static {name}_CELLS_{at}: [{cell}; {cells}] = [const {{ {cell}::new() }}; {cells}];\n")
        }
        Object::MemoryPool { blocks, block_bytes, .. } => {
            let (cell, bytes) = ("::tokkyu_rtos::BlockCell", blocks * block_bytes);
            format!(
                "static {name}_CELLS_{at}: [{cell}; {blocks}] = [const {{ {cell}::new() }}; {blocks}];\n\
                 static {name}_MEMORY_{at}: ::tokkyu_rtos_c::Blocks<{bytes}> = ::tokkyu_rtos_c::Blocks::new();\n"
            )
        }
        _ => String::new(),
    }
}

/// What the kernel's constructor takes.
fn arguments(name: &str, at: usize, object: &Object) -> String {
    match object {
        Object::Semaphore { initial, most, by_priority } => format!("{initial}, {most}, {by_priority}"),
        Object::EventFlag { initial, many, clear, by_priority } => format!(
            "::tokkyu_rtos::EventFlagConfig {{ initial: {initial}, many_may_wait: {many}, clear: {clear}, by_priority: {by_priority} }}"
        ),
        Object::DataQueue { by_priority, .. } => format!("&{name}_CELLS_{at}, {by_priority}"),
        Object::PriorityQueue { priorities, by_priority, .. } => {
            format!("&{name}_CELLS_{at}, {priorities}, {by_priority}")
        }
        Object::Mutex { protocol } => match protocol {
            Protocol::None { by_priority } => {
                format!("::tokkyu_rtos::Protocol::None {{ by_priority: {by_priority} }}")
            }
            Protocol::Ceiling(priority) => format!("::tokkyu_rtos::Protocol::Ceiling({priority})"),
            Protocol::Inheritance => "::tokkyu_rtos::Protocol::Inheritance".to_owned(),
        },
        Object::MemoryPool { block_bytes, by_priority, .. } => {
            format!("{name}_MEMORY_{at}.start(), {block_bytes}, &{name}_CELLS_{at}, {by_priority}")
        }
        Object::SpinLock => String::new(),
        Object::Cyclic { started, period_us, phase_us, place, .. } => format!(
            "::tokkyu_rtos::CyclicConfig {{ assignment: {}, period_us: {period_us}, phase_us: {phase_us}, started: {started} }}",
            assignment(*place)
        ),
        Object::Alarm { place, .. } => assignment(*place),
    }
}

fn call(Routine { function, exinf }: &Routine) -> String {
    format!("unsafe {{ r#{function}({exinf}) }}")
}

/// What the port is told: which function is whose.
fn programs(system: &System) -> String {
    let mut out = String::from(
        "\nstruct App;\n\n#[allow(clippy::single_match, clippy::match_single_binding)]\nimpl ::tokkyu_rtos_aarch64::Programs for App {\n",
    );
    out += "    #[inline(always)]\n    fn objects(&self) -> ::tokkyu_rtos::Objects {\n        ::tokkyu_rtos::Objects {\n";
    out += "            processors: &PROCESSORS,\n            tasks: &TASKS,\n";
    for (name, _, field) in STATICS {
        out += &format!("            {field}: &{name},\n");
    }
    let overrun = system.overrun.is_some();
    out += &format!("            overrun: {overrun},\n            budgets: false,\n        }}\n    }}\n\n");
    out +=
        "    fn stacks(&self) -> &'static [::tokkyu_rtos_aarch64::StackRange] {\n        &RANGES\n    }\n\n";
    out += "    fn lines(&self) -> &'static [::tokkyu_rtos_aarch64::Line] {\n        &LINES\n    }\n\n";
    out += "    fn task(&self, id: i32) {\n        match id {\n";
    for (number, task) in (1..).zip(&system.tasks) {
        out += &format!("            {number} => {},\n", call(&task.is.routine));
    }
    out += "            _ => {}\n        }\n    }\n\n";
    out += "    fn handler(&self, handler: ::tokkyu_rtos::Handler) {\n        match handler {\n";
    let cyclics = system.objects.iter().filter_map(|object| match &object.is {
        Object::Cyclic { routine, .. } => Some(routine),
        _ => None,
    });
    let alarms = system.objects.iter().filter_map(|object| match &object.is {
        Object::Alarm { routine, .. } => Some(routine),
        _ => None,
    });
    let numbered = (1..).zip(cyclics).map(|(number, routine)| (format!("Cyclic({number})"), routine));
    for (handler, routine) in numbered.chain((1..).zip(alarms).map(|(n, r)| (format!("Alarm({n})"), r))) {
        out += &format!("            ::tokkyu_rtos::Handler::{handler} => {},\n", call(routine));
    }
    if let Some((handler, _)) = &system.overrun {
        out += &format!(
            "            ::tokkyu_rtos::Handler::Overrun(task) => {{\n                let exinf = TASKS[usize::from(task) - 1].config().exinf;\n\
             \x20               unsafe {{ r#{handler}(i32::from(task), exinf as isize) }}\n            }}\n"
        );
    }
    out += "            _ => {}\n        }\n    }\n\n    fn line(&self, number: u32) {\n        match number {\n";
    for (number, line) in &system.lines {
        if let Some((handler, _)) = &line.handler {
            out += &format!("            {number} => unsafe {{ r#{handler}() }},\n");
        }
    }
    out += "            _ => {}\n        }\n    }\n\n";
    for (name, routines) in [("initialize", &system.initialize), ("terminate", &system.terminate)] {
        out += &format!("    fn {name}(&self) {{\n");
        routines.iter().for_each(|routine| out += &format!("        {};\n", call(routine)));
        out += "    }\n\n";
    }
    out + "}\n"
}

/// The kernel, its calls for C, and what is tokkyu's own.
const END: &str = r#"
static KERNEL: ::tokkyu_rtos::Kernel<::tokkyu_rtos_aarch64::Board<App>> =
    ::tokkyu_rtos::Kernel::new(::tokkyu_rtos_aarch64::Board::new(App));

::tokkyu_rtos_aarch64::system!(KERNEL, processors: PROCESSORS.len());
::tokkyu_rtos_c::c_calls!(KERNEL);

#[unsafe(no_mangle)]
extern "C" fn ext_ker() -> i32 {
    KERNEL.end();
    ::tokkyu_rtos_aarch64::exit(0)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn tokkyu_write(text: *const ::core::ffi::c_char) {
    use ::core::fmt::Write;
    let text = unsafe { ::core::ffi::CStr::from_ptr(text) };
    for part in text.to_bytes().utf8_chunks() {
        let _ = ::tokkyu_rtos_aarch64::Console.write_str(part.valid());
    }
}

#[panic_handler]
fn panic(info: &::core::panic::PanicInfo<'_>) -> ! {
    use ::core::fmt::Write;
    let _ = writeln!(::tokkyu_rtos_aarch64::Console, "panic: {info}");
    ::tokkyu_rtos_aarch64::exit(1)
}
"#;
