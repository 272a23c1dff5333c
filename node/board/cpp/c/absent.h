/* What a call answers that a board cannot carry out. */
#pragma once

/* -1, and errno is ENOSYS. */
long tokkyu_absent(void);
