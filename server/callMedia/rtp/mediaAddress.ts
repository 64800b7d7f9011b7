import { BlockList, isIP, isIPv4 } from 'node:net';
import { FaceplateError } from '../../contract/errors.ts';
import { isIn, isLocalAddress, isLoopback } from '../../observe/localAddress.ts';

/** Networks between carriers and their customers (RFC 6598): not routed across the internet either. */
const carrier = new BlockList();
carrier.addSubnet('100.64.0.0', 10);

/** Groups and "everybody": never the place of one far end. */
const many = new BlockList();
many.addSubnet('224.0.0.0', 3);
many.addSubnet('0.0.0.0', 8);
many.addSubnet('ff00::', 8, 'ipv6');

const isPrivate = (address: string): boolean => isLocalAddress(address) || isIn(carrier, address);

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
  const isWrong = isLoopback(address) ? !isLoopback(peer) : isPrivate(address) && !isPrivate(peer);
  return isWrong ? { address: peer, isTranslated: true } : { address, isTranslated: false };
}
