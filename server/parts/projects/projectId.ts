import { hash } from 'node:crypto';

/** Origins that are not for projects. */
const RESERVED = ['settings', 'demo', 'intercom', 'api', 'localhost'];

/** Longest DNS label (RFC 1035 section 2.3.4). */
const MAX_LABEL = 63;

/**
 * The DNS label for a project of this name, such as `lobby-panel` for "Lobby Panel". A run of other characters becomes
 * one hyphen, so that no label looks like punycode (`xn--`). When nothing usable is left: `project-<digest of the
 * name>`.
 */
export function projectIdFor(name: string): string {
  const label = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, MAX_LABEL)
    .replace(/-$/, '');
  if (label !== '' && !RESERVED.includes(label)) return label;
  return `project-${hash('sha256', name).slice(0, 12)}`;
}
