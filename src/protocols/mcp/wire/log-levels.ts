/** Checks and compares the severity of log messages (server/utilities/logging, Log Levels). */
import type { LogLevel } from "../../../core/model/definition.ts";

/** In ascending order of severity. */
const LEVELS: readonly LogLevel[] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

export function isLogLevel(level: unknown): level is LogLevel {
  return LEVELS.some((known) => known === level);
}

/** Whether `level` is at least as severe as `least`. */
export function isAtLeast(level: LogLevel, least: LogLevel): boolean {
  return LEVELS.indexOf(level) >= LEVELS.indexOf(least);
}
