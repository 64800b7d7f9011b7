import { BlockList, isIP, isIPv4 } from 'node:net';
import { FaceplateError } from '../../../contract/errors.ts';
import { isIn, isLocalAddress, isLoopback, plainAddress, withoutZone } from '../../../platform/addresses.ts';
import { ownAddresses } from '../../../platform/networks.ts';
import type { MediaParty } from '../../ports.ts';

/** Shared address space of carriers (RFC 6598): not routed on the internet either. */
const carrier = new BlockList();
carrier.addSubnet('100.64.0.0', 10);

/** Multicast and broadcast: never the address of one remote party. */
const many = new BlockList();
many.addSubnet('224.0.0.0', 3);
many.addSubnet('0.0.0.0', 8);
many.addSubnet('ff00::', 8, 'ipv6');

const isPrivate = (address: string): boolean => isLocalAddress(address) || isIn(carrier, address);

/** Whether it is the broadcast address of a network of this machine. */
function isBroadcast(address: string): boolean {
  if (!isIPv4(address)) return false;
  const wanted = numberOf(address);
  return ownAddresses().some(({ family, address: own, netmask }) => {
    const hosts = family === 'IPv4' ? ~numberOf(netmask) >>> 0 : 0;
    // A network of one or two addresses has none (RFC 3021).
    return hosts > 1 && (numberOf(own) | hosts) >>> 0 === wanted;
  });
}

function numberOf(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}

/** Where media of a remote party come from and are sent to. */
interface MediaAddress {
  readonly address: string;
  /** The port in the description does not apply: a router in front of the remote party changes it. */
  readonly isTranslated: boolean;
}

/**
 * The address that media of a call may come from and go to: that of the signalling, or the described one for parties
 * whose media may be elsewhere. If their description cannot be right, the signalling address counts for them too: for a
 * host name, for this machine itself named by a remote party elsewhere, or for a private address sent from a public
 * one.
 * @param described address of the c= line
 * @param from who described it
 * @throws FaceplateError INVALID_REQUEST for multicast and broadcast.
 */
export function mediaAddress(described: string, { host, mayBeElsewhere }: MediaParty): MediaAddress {
  const peer = plainAddress(host);
  const address = plainAddress(described);
  if (isIP(address) === 0 || isIPv4(address) !== isIPv4(peer)) return { address: peer, isTranslated: true };
  if (isIn(many, address) || isBroadcast(address)) {
    throw new FaceplateError('INVALID_REQUEST', 'The remote party wants its media sent to a group.', {
      field: 'sdp',
    });
  }
  // A socket needs the zone of a link-local address, and a description never names it.
  if (address === withoutZone(peer)) return { address: peer, isTranslated: false };
  // Otherwise a caller could make the panel send to an uninvolved host.
  if (!mayBeElsewhere) return { address: peer, isTranslated: true };
  const isWrong = isLoopback(address) ? !isLoopback(peer) : isPrivate(address) && !isPrivate(peer);
  return isWrong ? { address: peer, isTranslated: true } : { address, isTranslated: false };
}
