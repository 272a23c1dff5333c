//! The macro that makes an image.

/// Makes this program an image of these nodes.
///
/// `processors`: 1 to 4. `control`, `realtime`: tasks for callbacks of these classes, one for each node that has such. A node: its name, the
/// processor of its main task, its program ([`Run`](crate::Run)).
///
/// `cpp`: nodes in C++, the same with the name of their `main` as the build script has it (`NAME_main` of `tokkyu_board_build::image().cpp(NAME, …)`). The crate
/// `tokkyu-board-cpp` is linked then, and tasks have floating-point registers and larger stacks.
///
/// `flows`: what is declared of topics, [`flows!()`](crate::flows) for those of the `robot.yaml` that the build script names.
///
/// `across`: beside Linux on the same processors, the topics that cross, an array of `tokkyu_board::beside::to_linux` and `from_linux`; crate feature
/// `beside`. A node "linux" carries them. What crosses to Linux does in a task of the topic's class, one more of `control` or `realtime` if one
/// is declared; what comes from there in one of class `control`, which need not be counted.
#[macro_export]
macro_rules! board {
    (
        processors: $processors:expr,
        control: $control:expr,
        realtime: $realtime:expr,
        nodes: { $($name:literal on $on:literal => $run:expr),* $(,)? }
        $(, flows: $flows:expr)?
        , across: $across:expr
        $(,)?
    ) => {
        $crate::board! {
            @image
            // The master; what carries to nodes here.
            spare: 1,
            processors: $processors,
            control: $control + 1,
            realtime: $realtime,
            nodes: { "linux" on 1 => $crate::beside::carry::<Image>, $($name on $on => $run),* }
            $(, flows: $flows)?
            , device: {
                const ACROSS: &'static [$crate::beside::Topic<'static>] = &$across;

                type Device = $crate::beside::Wire;

                fn device() -> ::core::result::Result<$crate::Found<Self::Device>, $crate::generated::String> {
                    $crate::beside::device::<Self>()
                }

                fn variable(name: &str) -> ::core::option::Option<&'static str> {
                    $crate::beside::variable(name)
                }

                fn acknowledge(line: u32) {
                    $crate::beside::acknowledge::<Self>(line);
                }
            }
        }
    };
    (
        processors: $processors:expr,
        control: $control:expr,
        realtime: $realtime:expr,
        nodes: $nodes:tt
        $(, cpp: $cpp:tt)?
        $(, flows: $flows:expr)?
        $(,)?
    ) => {
        $crate::board! {
            @image
            spare: 0,
            processors: $processors,
            control: $control,
            realtime: $realtime,
            nodes: $nodes
            $(, cpp: $cpp)?
            $(, flows: $flows)?
            , device: {
                type Device = $crate::generated::Network;

                fn device() -> ::core::result::Result<$crate::Found<Self::Device>, $crate::generated::String> {
                    $crate::virt::find()
                }

                fn acknowledge(line: u32) {
                    $crate::virt::acknowledge(line);
                }
            }
        }
    };
    (
        @image
        spare: $spare:expr,
        processors: $processors:expr,
        control: $control:expr,
        realtime: $realtime:expr,
        nodes: { $($name:literal on $on:literal => $run:expr),* $(,)? }
        $(, cpp: { $($cpp_name:literal on $cpp_on:literal => $main:ident),+ $(,)? })?
        $(, flows: $flows:expr)?
        , device: { $($device:tt)* }
    ) => {
        $(
            // Linked for its functions, which C++ calls.
            use ::tokkyu_board_cpp as _;
            unsafe extern "C" {
                $(fn $main(count: i32, arguments: *mut *mut ::core::ffi::c_char) -> i32;)+
            }
        )?

        #[derive(Clone, Copy)]
        struct Image;

        const ON: &[u8] = &[$($on,)* $($($cpp_on),+)?];
        const CPP: &[u8] = &[$($($cpp_on),+)?];
        const STACK_BYTES: usize =
            if CPP.is_empty() { $crate::STACK_BYTES } else { $crate::CPP_STACK_BYTES };
        const COUNTS: $crate::Counts = $crate::Counts {
            processors: $processors,
            nodes: ON.len(),
            spare: 1 + $spare + CPP.len(),
            control: $control,
            realtime: $realtime,
        };

        static PROCESSORS: [$crate::generated::Processor; COUNTS.processors] =
            [const { $crate::generated::Processor::new() }; COUNTS.processors];
        static TASKS: [$crate::generated::Task; COUNTS.tasks()] = $crate::tasks(COUNTS, ON);
        #[unsafe(link_section = ".stacks.tasks")]
        static STACKS: [$crate::generated::Stack<STACK_BYTES>; COUNTS.tasks()] =
            [const { $crate::generated::Stack::new() }; COUNTS.tasks()];
        static RANGES: [$crate::generated::StackRange; COUNTS.tasks()] = $crate::ranges(&STACKS);
        static WORKERS: [$crate::generated::Worker; COUNTS.workers()] = $crate::workers(COUNTS);
        static NODES: [$crate::Entry; COUNTS.nodes] = [
            $($crate::Entry { name: $name, program: $crate::Program::Node($run) },)*
            $($($crate::Entry { name: $cpp_name, program: $crate::Program::Main($main) }),+)?
        ];
        static KERNEL: $crate::generated::Kernel<$crate::generated::Board<$crate::Parts<Image>>> =
            $crate::generated::Kernel::new($crate::generated::Board::new($crate::Parts::new()));

        impl $crate::Image for Image {
            const EXTENDED: bool = !CPP.is_empty();
            $(const FLOWS: &'static [$crate::Flow] = $flows;)?

            #[inline(always)]
            fn kernel() -> &'static $crate::generated::Kernel<$crate::generated::Board<$crate::Parts<Image>>> {
                &KERNEL
            }

            #[inline(always)]
            fn layout() -> $crate::Layout {
                $crate::Layout {
                    processors: &PROCESSORS,
                    tasks: &TASKS,
                    stacks: &RANGES,
                    workers: &WORKERS,
                    nodes: &NODES,
                }
            }

            $($device)*

            fn epoch_seconds() -> u64 {
                $crate::virt::epoch_seconds()
            }
        }

        static PORT: $crate::generated::Rtos<$crate::Here<Image>> =
            $crate::generated::Rtos::new($crate::Here::new());
        $crate::generated::tokkyu_callbacks::port!(PORT);
        $crate::generated::system!(KERNEL, processors: COUNTS.processors);

        #[panic_handler]
        fn panic(info: &core::panic::PanicInfo<'_>) -> ! {
            $crate::panic(info)
        }
    };
}

/// The flows of the `robot.yaml` that the build script has named: `tokkyu_board_build::image().robot("robot.yaml")`.
#[macro_export]
macro_rules! flows {
    () => {
        include!(concat!(env!("OUT_DIR"), "/flows.rs"))
    };
}
