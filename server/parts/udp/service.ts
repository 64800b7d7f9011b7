import type { ParamsOf, ResultOf } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import { hexToBytes } from '../../contract/fields.ts';
import type { PartInfo } from '../../contract/system.ts';
import { errnoOf, errnoWords } from '../../platform/errno.ts';
import { isLocalTarget } from '../../platform/net/localTargets.ts';
import type { CallContext, OwnedCall } from '../callContext.ts';
import { UDP_MAX_BYTES } from './contract.ts';
import { type ListenersOptions, type UdpDriver, UdpListeners } from './listeners.ts';

/** Sends datagrams to devices of the local network, and nowhere else; hears those that come to a port. */
export class UdpService {
  readonly #driver: UdpDriver;
  readonly #listeners: UdpListeners;
  #stopped = false;

  constructor(options: ListenersOptions) {
    this.#driver = options.driver;
    this.#listeners = new UdpListeners(options);
  }

  /** The first call opens the socket. */
  async start(): Promise<void> {
    this.#stopped = false;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#listeners.stop();
    await this.#driver.stop();
  }

  part(): PartInfo {
    return { driver: this.#driver.name, path: null, state: 'real', reason: null };
  }

  /** @throws FaceplateError FORBIDDEN (target outside the local network), INVALID_REQUEST (too long), HARDWARE_ERROR */
  async send(
    { host, port, hex, text }: ParamsOf<'udp.send'>,
    { signal }: CallContext,
  ): Promise<ResultOf<'udp.send'>> {
    if (this.#stopped) throw new FaceplateError('SHUTTING_DOWN');
    signal.throwIfAborted();
    const bytes = hex === undefined ? new TextEncoder().encode(text) : hexToBytes(hex);
    if (bytes.length > UDP_MAX_BYTES) {
      const field = hex === undefined ? 'text' : 'hex';
      const sentence = `The field "${field}" is not valid: one datagram holds at most ${UDP_MAX_BYTES} bytes, these are ${bytes.length}.`;
      throw new FaceplateError('INVALID_REQUEST', sentence, { field });
    }
    if (!isLocalTarget(host, () => this.#driver.localNetworks())) {
      throw new FaceplateError('FORBIDDEN', `${host} is not on the local network of this panel.`);
    }
    try {
      await this.#driver.send(bytes, port, host);
    } catch (error) {
      const errno = errnoOf(error);
      if (errno === undefined) throw error;
      const sentence = `The datagram to ${host} could not be sent: ${errnoWords(errno)}.`;
      throw new FaceplateError('HARDWARE_ERROR', sentence, { cause: error });
    }
    return { status: 'ok', host, port, sent: bytes.length };
  }

  /** @throws FaceplateError FORBIDDEN (a port of ours), CONFLICT (the ninth port), PORT_BUSY, HARDWARE_ERROR */
  async listen(
    { port, group }: ParamsOf<'udp.listen'>,
    { identity, signal }: OwnedCall,
  ): Promise<ResultOf<'udp.listen'>> {
    if (this.#stopped) throw new FaceplateError('SHUTTING_DOWN');
    await this.#listeners.add(identity, port, group, signal);
    return { status: 'ok', port };
  }

  async unlisten(
    { port }: ParamsOf<'udp.unlisten'>,
    { identity }: OwnedCall,
  ): Promise<ResultOf<'udp.unlisten'>> {
    await this.#listeners.remove(identity, port);
    return { status: 'ok', port };
  }
}
