import { z } from 'zod';
import { defineCommand } from '../../contract/command.ts';
import { noParams } from '../../contract/fields.ts';

const fingerprint = z
  .string()
  .regex(/^[0-9A-F]{2}(:[0-9A-F]{2}){31}$/, 'must be a SHA-256 fingerprint such as AB:CD:…, 32 pairs')
  .describe('SHA-256 of the whole certificate, as browsers show it');

/** A TLS server: where it is reached. */
const place = {
  host: z.string().min(1).max(253).describe('name or address, as in the URL'),
  port: z.int().min(1).max(65_535),
};

/** What a certificate says about itself, and its fingerprint; only the fingerprint counts. */
const certificate = z.strictObject({
  fingerprint,
  subject: z.string(),
  issuer: z.string(),
  validFrom: z.iso.datetime(),
  validTo: z.iso.datetime(),
});
export type CertificateFacts = z.infer<typeof certificate>;

const refused = certificate.extend({
  reason: z.string().describe('why the system does not trust it, such as DEPTH_ZERO_SELF_SIGNED_CERT'),
  lastSeen: z.iso.datetime(),
});
export type RefusedCertificate = z.infer<typeof refused>;

const certificateEntry = z.strictObject({
  ...place,
  state: z
    .enum(['refused', 'trusted', 'changed'])
    .describe('changed: trusted once, but the server shows another certificate now, which is refused'),
  trusted: certificate.nullable(),
  refused: refused.nullable(),
});
export type CertificateEntry = z.infer<typeof certificateEntry>;

export const certificatesCommands = {
  'certificates.list': defineCommand({
    summary:
      'TLS servers whose certificate the system does not trust: the pinned ones, and those refused since the start.',
    access: { scope: 'view', http: 'token' },
    params: noParams,
    result: z.strictObject({ certificates: z.array(certificateEntry) }),
    http: { method: 'GET', path: '/api/manage/certificates' },
  }),
  'certificates.trust': defineCommand({
    summary:
      'Pin the certificate that a server showed: from now on exactly this one is trusted at this place.',
    access: { scope: 'manage', http: 'token' },
    params: z.strictObject({ ...place, fingerprint }),
    result: certificateEntry,
    errors: ['NOT_FOUND', 'CONFLICT', 'STORAGE_FULL'],
    http: { method: 'POST', path: '/api/manage/certificates/trust' },
  }),
  'certificates.forget': defineCommand({
    summary: 'Withdraw the trust; takes effect with the next connection.',
    access: { scope: 'manage', http: 'token' },
    params: z.strictObject(place),
    result: z.strictObject({ status: z.literal('forgotten') }),
    errors: ['NOT_FOUND', 'STORAGE_FULL'],
    http: { method: 'POST', path: '/api/manage/certificates/forget' },
  }),
};

/** What is stored of the pinned certificates. */
export const certificatesState = z.strictObject({
  pinned: z.array(certificate.extend(place)),
});
export type CertificatesState = z.infer<typeof certificatesState>;
