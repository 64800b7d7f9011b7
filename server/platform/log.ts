import { type DestinationStream, type Logger, pino } from 'pino';
import { withoutLogins } from './cameraAddress.ts';

export type { Logger };

/** What a log line says, `<subject>: <what happened>`; `npm run check` knows the subjects. Values are fields. */
export type LogLine = `${string}: ${string}`;

/** Fields that never reach a log line, at any place in an object of depth two. */
const SECRET_FIELDS = ['authorization', 'token', 'password', 'command', 'url', 'sdp', 'hex', 'text', 'data'];

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
type LogLevel = (typeof LOG_LEVELS)[number];

/** The service's log: JSON lines on standard error, secrets redacted, logins in addresses masked. */
export function createLogger(
  level: LogLevel,
  destination: { write(line: string): unknown } = process.stderr,
): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`]), censor: '[redacted]' },
      hooks: { streamWrite: withoutLogins },
    },
    destination as DestinationStream,
  );
}

/** A logger without output, for tests and benchmarks. */
export function silentLogger(): Logger {
  return pino({ level: 'silent' });
}
