import type { CallHeaders } from '../../ports.ts';
import type { Headers } from '../message/headers.ts';
import { clean, parseParams, splitOutside, TOKEN, unquoted } from '../message/syntax.ts';

const PAGE_HEADER = 'x-panel-page';
const MAX_PAGE_ID = 64;

/**
 * Adds the headers that ask for an automatic answer, in every form that phones and door stations read, and the
 * announcement's id.
 * @param host our address, which some forms must contain
 */
export function writeCallHeaders(headers: Headers, wanted: CallHeaders, host: string): void {
  if (wanted.autoAnswer === true) {
    const name = host.includes(':') ? `[${host}]` : host;
    headers.add('call-info', `<sip:${name}>;answer-after=0`);
    headers.add('alert-info', `<http://${name}>;info=alert-autoanswer;delay=0`);
    // RFC 5373.
    headers.add('answer-mode', 'Auto');
  }
  if (wanted.pageId !== undefined && wanted.pageId !== '') headers.add(PAGE_HEADER, clean(wanted.pageId));
}

/**
 * Reads these headers: Call-Info before Alert-Info before Answer-Mode. The decision to follow them is made elsewhere.
 */
export function readCallHeaders(headers: Headers): CallHeaders {
  const pageId = headers.get(PAGE_HEADER)?.slice(0, MAX_PAGE_ID);
  return {
    autoAnswer:
      headers.list('call-info').some(wantsByCallInfo) ||
      headers.list('alert-info').some(wantsByAlertInfo) ||
      /^auto\b/i.test(headers.get('answer-mode') ?? '') ||
      /^auto\b/i.test(headers.get('priv-answer-mode') ?? ''),
    ...(pageId !== undefined && TOKEN.test(pageId) ? { pageId } : {}),
  };
}

/** Snom, Grandstream, Yealink, Gigaset, AudioCodes: `<sip:x>;answer-after=0`. We do not support a delay in seconds. */
function wantsByCallInfo(value: string): boolean {
  return paramsOf(value)?.get('answer-after') === '0';
}

/** Yealink, Polycom, Cisco: `info=alert-autoanswer`, `intercom=true`, `Auto Answer`, `Ring Answer`. */
function wantsByAlertInfo(value: string): boolean {
  const params = paramsOf(value);
  const info = params?.get('info')?.toLowerCase();
  if (info === 'alert-autoanswer' || params?.get('intercom')?.toLowerCase() === 'true') return true;
  const words = (unquoted(value.trim()) ?? info ?? value).trim().toLowerCase();
  return words === 'auto answer' || words === 'ring answer';
}

function paramsOf(value: string): ReadonlyMap<string, string> | undefined {
  const [first, ...rest] = splitOutside(value, ';') ?? [];
  return parseParams((first?.startsWith('<') ? rest : [first ?? '', ...rest]).join(';'));
}
