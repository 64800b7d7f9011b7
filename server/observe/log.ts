import { type Logger, pino } from 'pino';

export type { Logger };

/** Fields that never reach a log line, wherever they stand in an object of depth two. */
const SECRET_FIELDS = ['authorization', 'token', 'password', 'command', 'url', 'sdp', 'hex', 'text', 'data'];

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The service's log: JSON lines on standard error, secrets redacted. */
export function createLogger(level: LogLevel, destination: NodeJS.WritableStream = process.stderr): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`]), censor: '[redacted]' },
    },
    destination,
  );
}

/** A logger that says nothing, for tests and benchmarks. */
export function silentLogger(): Logger {
  return pino({ level: 'silent' });
}

/** A camera address that may stand in a log or an answer: without password, user kept. */
export function withoutPassword(url: string): string {
  try {
    const parsed = new URL(url);
    parsed.password = '';
    return parsed.toString();
  } catch {
    return '';
  }
}
