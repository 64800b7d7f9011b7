import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import { FaceplateError } from '../../contract/errors.ts';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

/** Networks that are not routed across the internet: RFC 1918, RFC 3927, RFC 6598, RFC 4193, RFC 4291. */
const local = new BlockList();
for (const [net, prefix] of [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
  ['100.64.0.0', 10],
] as const) {
  local.addSubnet(net, prefix);
}
local.addSubnet('fc00::', 7, 'ipv6');
local.addSubnet('fe80::', 10, 'ipv6');

/** Groups and "everybody": never the place of one far end. */
const many = new BlockList();
many.addSubnet('224.0.0.0', 3);
many.addSubnet('0.0.0.0', 8);
many.addSubnet('ff00::', 8, 'ipv6');

const isIn = (list: BlockList, address: string): boolean =>
  list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');

/** An address as a socket shows it, without the `::ffff:` of IPv4 within IPv6. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '').toLowerCase();
}

/** Where media of a far end comes from, and is sent to. */
export interface MediaAddress {
  readonly address: string;
  /** The port of the description means nothing: the far end is behind a router that changes it. */
  readonly isTranslated: boolean;
}

/**
 * The address of the description; the one that its signalling comes from where the description cannot be right: a host
 * name, this machine itself for a far end elsewhere, or a private address told by a public one.
 * @param described address of the c= line
 * @param peerHost address of the signalling
 * @throws FaceplateError INVALID_REQUEST for groups and broadcasts.
 */
export function mediaAddress(described: string, peerHost: string): MediaAddress {
  const peer = plainAddress(peerHost);
  const address = plainAddress(described);
  if (isIP(address) === 0 || isIPv4(address) !== isIPv4(peer)) return { address: peer, isTranslated: true };
  if (isIn(many, address)) {
    throw new FaceplateError('INVALID_REQUEST', 'The far end wants its media sent to a group.', {
      field: 'sdp',
    });
  }
  if (isIP(peer) === 0 || address === peer) return { address, isTranslated: false };
  const peerIsHere = isIn(loopback, peer);
  const isWrong = isIn(loopback, address)
    ? !peerIsHere
    : isIn(local, address) && !isIn(local, peer) && !peerIsHere;
  return isWrong ? { address: peer, isTranslated: true } : { address, isTranslated: false };
}
