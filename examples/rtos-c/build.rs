//! The system and its program in C.

fn main() {
    tokkyu_rtos_configure::system("src/app.cfg").source("src/app.c").build();
}
