import type { DeviceDriver } from '../device.ts';
import type { NetworkChange, NetworkInterface, WifiNetwork } from './contract.ts';

/** A change that is taken back by itself, also when this service is gone. */
export interface PendingChange {
  /** Keeps it. @returns false when it was taken back already */
  keep(): Promise<boolean>;
}

/** The network interfaces of the panel. */
export interface NetworkDriver extends DeviceDriver {
  interfaces(): Promise<NetworkInterface[]>;
  /**
   * Changes the IPv4 address of an interface.
   * @param seconds until it is taken back
   * @throws FaceplateError NOT_FOUND (no such interface), CONFLICT (it has nothing to change), HARDWARE_ERROR; all is as
   * before then
   */
  change(change: NetworkChange, seconds: number): Promise<PendingChange>;
  /** Looks for Wi-Fi networks. @throws FaceplateError UNSUPPORTED_HARDWARE without Wi-Fi */
  networks(): Promise<WifiNetwork[]>;
  /**
   * Joins a Wi-Fi network.
   * @throws FaceplateError NOT_FOUND (not in reach), INVALID_REQUEST (the password), UNSUPPORTED_HARDWARE, HARDWARE_ERROR;
   * all is as before then
   */
  join(ssid: string, password: string | undefined): Promise<void>;
  /**
   * Keeps a Wi-Fi network, which is joined whenever it is in reach.
   * @returns the way back: it is forgotten
   */
  save(ssid: string, password: string | undefined): Promise<() => Promise<void>>;
}
