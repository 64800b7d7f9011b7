import type { FastifyReply, FastifyRequest } from 'fastify';
import { FaceplateError } from '../../contract/errors.ts';

/** Of every page of ours: its own files only, and nobody frames it. */
const OWN_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; " +
    "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
};

const APP = 'manage/';
/** A file with a hash in its name is another file once its content is another. */
const HASHED = /-[A-Z0-9]{8}\.(?:js|css)$/;
const FOREVER = 'public, max-age=31536000, immutable';

/** @param id of a built-in page: the saver on the glass shows pages of others in a frame. */
export function ownHeaders(id: string): Readonly<Record<string, string>> {
  if (id !== 'glass') return OWN_HEADERS;
  return {
    ...OWN_HEADERS,
    'content-security-policy': `${OWN_HEADERS['content-security-policy']}; frame-src http: https:`,
  };
}

/**
 * What the panel's own names show to browsers, without a token: the app at /manage/. A browser that opens the bare
 * address is led there, anybody else learns that there is nothing.
 * @param path without its first slash
 * @throws FaceplateError NOT_FOUND
 */
export function sendOwnPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { path, folder }: { readonly path: string; readonly folder: string },
): FastifyReply {
  if ((path === '' && wantsPage(request)) || path === 'manage') {
    reply.header('vary', [reply.getHeader('vary'), 'accept'].filter(Boolean).join(', '));
    return reply.redirect(`/${APP}`, 302);
  }
  if (!path.startsWith(APP)) throw new FaceplateError('NOT_FOUND');
  const file = path.slice(APP.length) || 'index.html';
  // No other origin may read it, whatever else it may call.
  reply.removeHeader('access-control-allow-origin').headers(OWN_HEADERS);
  if (HASHED.test(file)) reply.header('cache-control', FOREVER);
  return reply.sendFile(file, folder);
}

function wantsPage({ headers }: FastifyRequest): boolean {
  return /\btext\/html\b/i.test(headers.accept ?? '');
}
