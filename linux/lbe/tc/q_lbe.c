// SPDX-License-Identifier: GPL-2.0-only
/*
 * Options and statistics of lbe for tc(8): a plugin that tc loads from its
 * library folder (/usr/lib/tc, or $TC_LIB_DIR) as q_lbe.so. Without it tc adds
 * and removes the qdisc all the same, with default options.
 *
 *   tc qdisc add dev DEV root lbe [ mode prio|gate|task ] [ limit PACKETS ]
 *       [ max_hold TIME ] [ device_queue BYTES|auto ] [ budget PACKETS|auto ]
 *       [ split | nosplit ] [ defer | nodefer ] [ mark | nomark ]
 *       [ steer | nosteer ] [ receive | noreceive ]
 *
 * What tc gives its plugins has no header in Debian; declared below is what
 * this one uses, of iproute2's tc_util.h, utils.h and json_print.h.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>

#include "../module/lbe_uapi.h"

struct qdisc_util {
	struct qdisc_util *next;
	const char *id;
	int (*parse_qopt)(struct qdisc_util *qu, int argc, char **argv, struct nlmsghdr *n,
			  const char *dev);
	int (*print_qopt)(struct qdisc_util *qu, FILE *f, struct rtattr *opt);
	int (*print_xstats)(struct qdisc_util *qu, FILE *f, struct rtattr *xstats);
	int (*parse_copt)(struct qdisc_util *qu, int argc, char **argv, struct nlmsghdr *n,
			  const char *dev);
	int (*print_copt)(struct qdisc_util *qu, FILE *f, struct rtattr *opt);
	int has_block;
};

enum output_type { PRINT_FP = 1, PRINT_JSON = 2, PRINT_ANY = 4 };

int addattr_l(struct nlmsghdr *n, int maxlen, int type, const void *data, int alen);
struct rtattr *addattr_nest(struct nlmsghdr *n, int maxlen, int type);
int addattr_nest_end(struct nlmsghdr *n, struct rtattr *nest);
int parse_rtattr_flags(struct rtattr *tb[], int max, struct rtattr *rta, int len,
		       unsigned short flags);
int get_u32(__u32 *value, const char *text, int base);
int get_time(unsigned int *time, const char *text);
int get_size(unsigned int *size, const char *text);
int print_color_string(enum output_type t, int color, const char *key, const char *fmt,
		       const char *value);
int print_color_u64(enum output_type t, int color, const char *key, const char *fmt,
		    unsigned long long value);
int print_color_uint(enum output_type t, int color, const char *key, const char *fmt,
		     unsigned int value);
int print_color_bool(enum output_type t, int color, const char *key, const char *fmt,
		     bool value);

#define NO_COLOR 6	/* COLOR_NONE of enum color_attr */
#define MESSAGE_BYTES 1024

static const char *const modes[] = { "prio", "gate", "task" };

static const struct lbe_switch {
	const char *name;
	__u32 bit;
} switches[] = {
	{ "split", LBE_SWITCH_SPLIT },
	{ "defer", LBE_SWITCH_DEFER },
	{ "mark", LBE_SWITCH_MARK },
	{ "steer", LBE_SWITCH_STEER },
	{ "receive", LBE_SWITCH_RECEIVE },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void explain(void)
{
	fprintf(stderr,
		"Usage: ... lbe [ mode prio|gate|task ] [ limit PACKETS ] [ max_hold TIME ]\n"
		"               [ device_queue BYTES|auto ] [ budget PACKETS|auto ]\n"
		"               [ [no]split ] [ [no]defer ] [ [no]mark ] [ [no]steer ] [ [no]receive ]\n");
}

static int wrong(const char *name, const char *value)
{
	fprintf(stderr, "lbe: \"%s\" is not a value of \"%s\"\n", value, name);
	explain();
	return -1;
}

static bool parse_switch(const char *word, struct nla_bitfield32 *bits)
{
	bool off = !strncmp(word, "no", 2);
	size_t i;

	for (i = 0; i < COUNT(switches); i++) {
		if (strcmp(word + (off ? 2 : 0), switches[i].name))
			continue;
		bits->selector |= switches[i].bit;
		bits->value = off ? bits->value & ~switches[i].bit : bits->value | switches[i].bit;
		return true;
	}
	return false;
}

static int parse_mode(const char *text, __u32 *mode)
{
	for (*mode = 0; *mode < COUNT(modes); ++*mode)
		if (!strcmp(text, modes[*mode]))
			return 0;
	return -1;
}

static int parse_auto(int (*parse)(const char *, __u32 *), const char *text, __u32 *value)
{
	if (!strcmp(text, "auto")) {
		*value = LBE_AUTO;
		return 0;
	}
	return parse(text, value);
}

static int parse_number(const char *text, __u32 *value)
{
	return get_u32(value, text, 0);
}

static int parse_bytes(const char *text, __u32 *value)
{
	return get_size(value, text);
}

static int parse_time(const char *text, __u32 *value)
{
	return get_time(value, text);	/* us */
}

static int parse_budget(const char *text, __u32 *value)
{
	return parse_auto(parse_number, text, value);
}

static int parse_device_queue(const char *text, __u32 *value)
{
	return parse_auto(parse_bytes, text, value);
}

static const struct lbe_option {
	const char *name;
	int attribute;
	int (*parse)(const char *text, __u32 *value);
} options[] = {
	{ "mode", TCA_LBE_MODE, parse_mode },
	{ "limit", TCA_LBE_LIMIT, parse_number },
	{ "max_hold", TCA_LBE_MAX_HOLD, parse_time },
	{ "device_queue", TCA_LBE_DEVICE_QUEUE, parse_device_queue },
	{ "budget", TCA_LBE_BUDGET, parse_budget },
};

static const struct lbe_option *option_called(const char *name)
{
	size_t i;

	for (i = 0; i < COUNT(options); i++)
		if (!strcmp(name, options[i].name))
			return &options[i];
	return NULL;
}

static int lbe_parse_opt(struct qdisc_util *qu, int argc, char **argv, struct nlmsghdr *n,
			 const char *dev)
{
	struct nla_bitfield32 bits = { 0, 0 };
	const struct lbe_option *option;
	struct rtattr *nest = addattr_nest(n, MESSAGE_BYTES, TCA_OPTIONS | NLA_F_NESTED);
	__u32 value;

	(void)qu;
	(void)dev;
	for (; argc > 0; argc--, argv++) {
		if (parse_switch(*argv, &bits))
			continue;
		option = option_called(*argv);
		if (!option || argc < 2) {
			if (strcmp(*argv, "help"))
				fprintf(stderr, option ? "lbe: \"%s\" needs a value\n" :
							 "lbe: \"%s\" is not an option\n", *argv);
			explain();
			return -1;
		}
		if (option->parse(argv[1], &value))
			return wrong(argv[0], argv[1]);
		addattr_l(n, MESSAGE_BYTES, option->attribute, &value, sizeof(value));
		argc--;
		argv++;
	}
	if (bits.selector)
		addattr_l(n, MESSAGE_BYTES, TCA_LBE_SWITCHES, &bits, sizeof(bits));
	addattr_nest_end(n, nest);
	return 0;
}

static __u32 value_of(struct rtattr *attr)
{
	__u32 value = 0;

	if (RTA_PAYLOAD(attr) >= sizeof(value))
		memcpy(&value, RTA_DATA(attr), sizeof(value));
	return value;
}

static void print_auto(const char *name, const char *word, const char *number, __u32 value)
{
	if (value == LBE_AUTO)
		print_color_string(PRINT_ANY, NO_COLOR, name, word, "auto");
	else
		print_color_uint(PRINT_ANY, NO_COLOR, name, number, value);
}

static void print_switches(struct rtattr *attr)
{
	struct nla_bitfield32 bits = { 0, 0 };
	size_t i;

	if (RTA_PAYLOAD(attr) >= sizeof(bits))
		memcpy(&bits, RTA_DATA(attr), sizeof(bits));
	for (i = 0; i < COUNT(switches); i++) {
		bool on = bits.value & switches[i].bit;

		print_color_bool(PRINT_JSON, NO_COLOR, switches[i].name, NULL, on);
		if (!on)
			print_color_string(PRINT_FP, NO_COLOR, NULL, "no", "");
		print_color_string(PRINT_FP, NO_COLOR, NULL, "%s ", switches[i].name);
	}
}

static int lbe_print_opt(struct qdisc_util *qu, FILE *f, struct rtattr *opt)
{
	struct rtattr *tb[TCA_LBE_MAX + 1] = { NULL };

	(void)qu;
	(void)f;
	if (!opt)
		return 0;
	parse_rtattr_flags(tb, TCA_LBE_MAX, RTA_DATA(opt), (int)RTA_PAYLOAD(opt), NLA_F_NESTED);
	if (tb[TCA_LBE_MODE] && value_of(tb[TCA_LBE_MODE]) < COUNT(modes))
		print_color_string(PRINT_ANY, NO_COLOR, "mode", "mode %s ",
				   modes[value_of(tb[TCA_LBE_MODE])]);
	if (tb[TCA_LBE_LIMIT])
		print_color_uint(PRINT_ANY, NO_COLOR, "limit", "limit %up ",
				 value_of(tb[TCA_LBE_LIMIT]));
	if (tb[TCA_LBE_MAX_HOLD])
		print_color_uint(PRINT_ANY, NO_COLOR, "max_hold_us", "max_hold %uus ",
				 value_of(tb[TCA_LBE_MAX_HOLD]));
	if (tb[TCA_LBE_DEVICE_QUEUE])
		print_auto("device_queue", "device_queue %s ", "device_queue %ub ",
			   value_of(tb[TCA_LBE_DEVICE_QUEUE]));
	if (tb[TCA_LBE_BUDGET])
		print_auto("budget", "budget %s ", "budget %up ", value_of(tb[TCA_LBE_BUDGET]));
	if (tb[TCA_LBE_SWITCHES])
		print_switches(tb[TCA_LBE_SWITCHES]);
	return 0;
}

static void print_count(const char *name, const char *text, __u64 value)
{
	print_color_u64(PRINT_ANY, NO_COLOR, name, text, value);
}

static int lbe_print_xstats(struct qdisc_util *qu, FILE *f, struct rtattr *xstats)
{
	struct tc_lbe_xstats st;

	(void)qu;
	(void)f;
	memset(&st, 0, sizeof(st));
	if (!xstats)
		return 0;
	/* A newer module says more, an older less. */
	memcpy(&st, RTA_DATA(xstats), RTA_PAYLOAD(xstats) < sizeof(st) ? RTA_PAYLOAD(xstats) : sizeof(st));
	print_color_bool(PRINT_JSON, NO_COLOR, "no_probe", NULL, st.flags & LBE_STATE_NO_PROBE);
	print_color_bool(PRINT_JSON, NO_COLOR, "held_now", NULL, st.flags & LBE_STATE_SHUT);
	if (st.flags & LBE_STATE_NO_PROBE)
		print_color_string(PRINT_FP, NO_COLOR, NULL, "%s\n",
				   "  the gate is open: no probe of task switches");
	print_count("shut", "  gate shut %llu times", st.shut);
	print_count("shut_ns", " %llu ns", st.shut_ns);
	print_count("shut_longest_ns", " (longest %llu ns)", st.shut_longest_ns);
	print_count("released", " released %llu", st.released);
	print_count("steered", " steered %llu", st.steered);
	print_count("valve", " valve %llu", st.valve);
	print_count("deferred", "\n  deferred %llu", st.deferred);
	print_count("split", " split %llu", st.split);
	print_count("marked", " marked %llu", st.marked);
	print_count("in_device", "\n  in device %llu", st.in_device);
	print_count("budget_waits", " waits %llu", st.budget_waits);
	print_count("budget_timeouts", " timeouts %llu", st.budget_timeouts);
	print_count("rx_passed", "\n  received passed %llu", st.rx_passed);
	print_count("rx_held", " held %llu", st.rx_held);
	print_count("rx_valve", " valve %llu", st.rx_valve);
	print_count("rx_overflows", " overflows %llu", st.rx_overflows);
	return 0;
}

struct qdisc_util lbe_qdisc_util = {
	.id = "lbe",
	.parse_qopt = lbe_parse_opt,
	.print_qopt = lbe_print_opt,
	.print_xstats = lbe_print_xstats,
};
