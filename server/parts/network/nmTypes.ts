import { BusError, type Target, type Values } from '../../platform/dbus/systemBus.ts';
import type { NetworkInterface, WifiNetwork } from './contract.ts';

const NAME = 'org.freedesktop.NetworkManager';
export const MANAGER = [NAME, '/org/freedesktop/NetworkManager', NAME] as const;

/** A device, or another object of NetworkManager. */
export function nm(path: string, face: string): Target {
  return [NAME, path, `${NAME}.${face}`];
}

/** A device with its properties. */
export interface NmDevice {
  readonly path: string;
  readonly values: Values;
}

/** Numbers of NetworkManager's D-Bus API (nm-dbus-types), as far as they matter here. */
export const DEVICE_ETHERNET = 1;
/** One end of a virtual wire, as a container has it. */
const DEVICE_VETH = 20;
export const DEVICE_WIFI = 2;
/** Loopback, and the management device of Wi-Fi Direct: no interface that a person would set up. */
const DEVICE_HIDDEN: readonly number[] = [30, 32];
export const STATE_ACTIVATED = 100;
export const STATE_FAILED = 120;

/** A group of settings by name, as connections have them: `ipv4`, `802-11-wireless`. */
export type Groups = Record<string, Values>;

/** The value of a variant, as a number; 0 when it is missing. */
export function numberIn(values: Values, name: string): number {
  return Number(values[name]?.value ?? 0);
}

/** The value of a variant, as a text; empty when it is missing. */
export function textIn(values: Values, name: string): string {
  const value = values[name]?.value;
  return typeof value === 'string' ? value : '';
}

/** An object path in a variant; undefined for none, which D-Bus writes as `/`. */
export function pathIn(values: Values, name: string): string | undefined {
  const path = textIn(values, name);
  return path === '' || path === '/' ? undefined : path;
}

export function isShown(device: Values): boolean {
  return !DEVICE_HIDDEN.includes(numberIn(device, 'DeviceType'));
}

export function typeOf(device: Values): NetworkInterface['type'] {
  const type = numberIn(device, 'DeviceType');
  if (type === DEVICE_WIFI) return 'wifi';
  return type === DEVICE_ETHERNET || type === DEVICE_VETH ? 'ethernet' : 'other';
}

/** NMDeviceState in words. */
export function stateOf(device: Values): NetworkInterface['state'] {
  const state = numberIn(device, 'State');
  if (state === STATE_FAILED) return 'failed';
  if (state === STATE_ACTIVATED) return 'connected';
  if (state > 30 && state < STATE_ACTIVATED) return 'connecting';
  if (state === 30 || state === 110) return 'disconnected';
  return state === 20 ? 'unavailable' : 'unmanaged';
}

/** The security of an access point: NM80211ApFlags and NM80211ApSecurityFlags. */
export function securityOf(point: Values): WifiNetwork['security'] {
  const [wpa, rsn] = [numberIn(point, 'WpaFlags'), numberIn(point, 'RsnFlags')];
  const [PSK, EAP, SAE, EAP_SUITE_B] = [0x100, 0x200, 0x400, 0x2000];
  const has = (flag: number): boolean => ((wpa | rsn) & flag) !== 0;
  if (has(EAP) || has(EAP_SUITE_B)) return 'enterprise';
  if (has(SAE) && !has(PSK)) return 'wpa3';
  if ((rsn & PSK) !== 0) return 'wpa2';
  if ((wpa & PSK) !== 0) return 'wpa';
  return (numberIn(point, 'Flags') & 1) !== 0 ? 'wep' : 'none';
}

/** The name of a Wi-Fi network; undefined for a hidden one, and for bytes that are no text. */
export function ssidIn(values: Values, name: string): string | undefined {
  const bytes = values[name]?.value;
  if (!(bytes instanceof Uint8Array) && !Array.isArray(bytes)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(bytes)) || undefined;
  } catch {
    return undefined;
  }
}

/** The `address/prefix` texts of an IP configuration. */
export function addressesIn(ip: Values | undefined): string[] {
  const list = (ip?.AddressData?.value ?? []) as readonly Values[];
  return list.map((entry) => `${textIn(entry, 'address')}/${numberIn(entry, 'prefix')}`);
}

/** The name servers of an IPv4 configuration. */
export function nameServersIn(ip: Values | undefined): string[] {
  const list = (ip?.NameserverData?.value ?? []) as readonly Values[];
  return list.map((entry) => textIn(entry, 'address'));
}

/** An IPv4 address as NetworkManager wants it in a number: network byte order in the memory of this machine. */
export function ipv4Number(address: string): number {
  const bytes = Uint8Array.from(address.split('.').map(Number));
  return new Uint32Array(bytes.buffer)[0] ?? 0;
}

/** An IPv6 address as its 16 bytes (RFC 4291 section 2.2). */
export function ipv6Bytes(address: string): Buffer {
  const [head = '', tail] = address.split('::');
  const groups = (text: string): number[] =>
    text === ''
      ? []
      : text.split(':').flatMap((group) => {
          if (!group.includes('.')) return [Number.parseInt(group, 16)];
          const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
          return [a * 256 + b, c * 256 + d];
        });
  const [first, last] = [groups(head), tail === undefined ? [] : groups(tail)];
  const bytes = Buffer.alloc(16);
  first.forEach((group, at) => void bytes.writeUInt16BE(group, 2 * at));
  last.forEach((group, at) => void bytes.writeUInt16BE(group, 16 - 2 * (last.length - at)));
  return bytes;
}

/** For what may be gone, or was never there; a bus that fails is another matter. */
export function orNothing(error: unknown): undefined {
  if (!(error instanceof BusError)) throw error;
  return undefined;
}
