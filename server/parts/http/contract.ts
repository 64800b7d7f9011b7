import { z } from 'zod';
import { defineCommand } from '../../contract/command.ts';

/** Longest body of a request and of its answer, in bytes. */
export const HTTP_REQUEST_MAX_BYTES = 1024 * 1024;
/** Requests of pages that may be under way at one time. */
export const HTTP_REQUEST_MAX_AT_ONCE = 16;

/** A field name of RFC 9110 section 5.1. */
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
/** What RFC 9110 section 5.5 lets stand in a value. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Set by the panel itself, or about the connection (RFC 9110 section 7.6.1); and cookies, of which there are none. */
const RESERVED_HEADER =
  /^(?:host|cookie2?|connection|keep-alive|content-length|expect|te|trailer|transfer-encoding|upgrade|accept-encoding|http2-settings|proxy-.*)$/i;
const MAX_HEADERS = 64;
const MAX_HEADERS_LENGTH = 16_384;

const requestHeaders = z
  .record(
    z
      .string()
      .regex(HEADER_NAME, 'must be the name of a header')
      .refine((name) => !RESERVED_HEADER.test(name), 'is set by the panel, or would carry a cookie'),
    z.string().max(8_192).regex(HEADER_VALUE, 'must be one line of Latin-1 text'),
  )
  .refine((headers) => Object.keys(headers).length <= MAX_HEADERS, `must be at most ${MAX_HEADERS} headers`)
  .refine(
    (headers) => Object.entries(headers).flat().join('').length <= MAX_HEADERS_LENGTH,
    `must be at most ${MAX_HEADERS_LENGTH} characters in all`,
  );

export const httpRequestCommands = {
  'http.request': defineCommand({
    summary: 'Ask a device of the local network over HTTP or HTTPS, also one that answers no CORS.',
    access: { page: 'allowed' },
    params: z.strictObject({
      url: z
        .string()
        .max(2_048)
        .refine(
          (text) => /^https?:\/\//i.test(text) && URL.canParse(text),
          'must be an http or https address',
        ),
      method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']).default('GET'),
      headers: requestHeaders
        .default({})
        .describe('no cookies, and none that belong to the connection')
        .meta({ secret: true }),
      body: z.string().optional().describe('sent as UTF-8, at most 1 MiB').meta({ secret: true }),
      timeoutMs: z.int().min(1).max(60_000).default(10_000).describe('for all of it, redirects too'),
    }),
    result: z.strictObject({
      status: z.int().describe('as the device answered, also 4xx and 5xx'),
      headers: z.record(z.string(), z.string()).describe('names in lower case; never cookies'),
      body: z.string().optional().describe('where it is text'),
      bodyHex: z.string().optional().describe('where it is no text: upper case, without blanks'),
    }),
    errors: ['FORBIDDEN', 'CONFLICT', 'TOO_LARGE', 'HARDWARE_ERROR', 'HARDWARE_TIMEOUT'],
    // Its own limit is in the params.
    timeoutMs: 65_000,
  }),
};
