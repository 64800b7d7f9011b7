import type { IncomingMessage } from 'node:http';

/** How long a server may take to answer, in milliseconds. */
const ANSWER_MS = 5_000;

/** Asks an address, by the rules for those that a stranger may have named. @throws Error when it does not answer */
export type AskAddress = (url: string, signal: AbortSignal) => Promise<IncomingMessage>;

/**
 * Asks an address whether the saver can show it: it answers, and does not forbid to be shown in a frame.
 * @param origin of the page that holds the frame
 * @returns why not, as half a sentence; undefined when it can
 */
export async function whyNotFramed(
  url: string,
  origin: string,
  ask: AskAddress,
): Promise<string | undefined> {
  try {
    const answer = await ask(url, AbortSignal.timeout(ANSWER_MS));
    // Only its head is of interest.
    answer.destroy();
    const { statusCode = 0, headersDistinct } = answer;
    if (statusCode < 200 || statusCode > 299) return `it answers ${statusCode}`;
    const headers = new Headers(
      Object.entries(headersDistinct).flatMap(([name, values = []]) =>
        values.map((value): [string, string] => [name, value]),
      ),
    );
    return forbidsFrames(headers, origin) ? 'it forbids frames' : undefined;
  } catch {
    return 'it does not answer, or is the panel itself';
  }
}

/** CSP level 3 section 6.4.2: where there are `frame-ancestors`, X-Frame-Options does not count. */
export function forbidsFrames(headers: Headers, origin: string): boolean {
  const policies = (headers.get('content-security-policy') ?? '').toLowerCase().split(',');
  const ancestors = policies
    .flatMap((policy) => policy.split(';'))
    .map((directive) => directive.trim().split(/\s+/))
    .filter(([name]) => name === 'frame-ancestors');
  if (ancestors.length > 0)
    return !ancestors.every(([, ...sources]) =>
      sources.some((source) => ['*', 'http:', 'http://*.localhost:*', origin].includes(source)),
    );
  return headers.has('x-frame-options');
}
