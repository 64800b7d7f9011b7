import { FaceplateError } from '../../contract/errors.ts';
import { ownAddresses, plainAddress, withoutZone } from '../../platform/net/addresses.ts';
import type { CallHeaders, CallTarget } from '../ports.ts';
import type { SipAgentOptions } from './agentOptions.ts';
import { DigestClient } from './auth/digest.ts';
import type { CallPlan } from './call/invitation.ts';
import { formatUri, parseHostPort, parseUri, type SipUri, sipUri } from './message/uri.ts';
import type { RegistrarServer } from './registrarServer.ts';
import { type Hop, samePlace } from './transport/hop.ts';
import { DEFAULT_PORT, type Protocol } from './transport/protocol.ts';
import { resolveHops, systemResolver } from './transport/resolve.ts';
import type { Transport } from './transport/transport.ts';

const DEFAULT_USER = 'panel';

/** Decides where requests go, from which address, and who may see our credentials. */
export class Routes {
  /** Hops of the configured registrar, as last resolved; the one with our registration comes first. */
  registrarHops: readonly Hop[] = [];
  readonly username: string;
  readonly #options: SipAgentOptions;
  readonly #transport: Transport;
  readonly #registrarServer: RegistrarServer | undefined;

  constructor(options: SipAgentOptions, transport: Transport, registrarServer: RegistrarServer | undefined) {
    this.#options = options;
    this.#transport = transport;
    this.#registrarServer = registrarServer;
    this.username = options.username || DEFAULT_USER;
  }

  isRegistrar(address: string): boolean {
    return this.registrarHops.some((hop) => hop.host === address);
  }

  /** Whether a URI names an address of this machine and a port of ours. */
  isOwn(text: string): boolean {
    const uri = parseUri(text);
    if (uri === undefined || uri.scheme === 'other') return false;
    const host = plainAddress(uri.host);
    const ports = [this.#transport.portOf('udp'), this.#transport.portOf('tls')];
    return (
      ports.includes(uri.port ?? DEFAULT_PORT.udp) &&
      ownAddresses().some(({ address }) => withoutZone(address) === host)
    );
  }

  /** @throws FaceplateError INVALID_REQUEST */
  registrar(): { host: string; port: number | undefined } | undefined {
    const text = this.#options.registrar.trim();
    if (text === '') return undefined;
    const place = parseHostPort(text);
    if (place !== undefined) return place;
    const sentence =
      'sip.registrar has to be a name or an address, with :port where it is not the usual one.';
    throw new FaceplateError('INVALID_REQUEST', sentence, { field: 'sip.registrar' });
  }

  plan(target: CallTarget, sdp: string, headers: CallHeaders): CallPlan {
    const { deviceName: displayName, transport, registrar: setting } = this.#options;
    const own = (address: string): SipUri => sipUri(this.username, address, this.#transport.portOf('udp'));
    if (target.kind === 'address') {
      const protocol = setting === '' ? transport : 'udp';
      const uri = sipUri(
        target.user ?? '',
        target.host,
        target.port,
        protocol === 'udp' ? {} : { transport: protocol },
      );
      return {
        uri,
        from: { displayName, uri: own },
        hops: () => this.hopsTo(uri),
        viaRegistrar: false,
        sdp,
        headers,
      };
    }
    const here = this.#registrarServer?.find(target.extension);
    if (here !== undefined) {
      const hops = async (): Promise<Hop[]> => [here.hop];
      return { uri: here.uri, from: { displayName, uri: own }, hops, viaRegistrar: false, sdp, headers };
    }
    const registrar = this.registrar();
    return {
      uri: sipUri(target.extension, registrar?.host ?? 'localhost', registrar?.port),
      from: { displayName, uri: () => sipUri(this.username, registrar?.host ?? 'localhost') },
      hops: async () => this.registrarHops,
      viaRegistrar: true,
      sdp,
      headers,
    };
  }

  /** Whether a call to it uses TLS, so that its description may contain keys. */
  isSecure(target: CallTarget): boolean {
    const { transport, registrar: setting } = this.#options;
    if (target.kind === 'address') return setting === '' && transport === 'tls';
    return (this.#registrarServer?.find(target.extension)?.hop.protocol ?? transport) === 'tls';
  }

  async hopsTo(uri: SipUri): Promise<Hop[]> {
    const named = uri.scheme === 'sips' ? 'tls' : uri.params.get('transport')?.toLowerCase();
    const protocol: Protocol = named === 'tcp' || named === 'tls' ? named : 'udp';
    const hops = await this.resolve({ host: uri.host, port: uri.port, protocol });
    if (named !== undefined) return hops;
    // A route to the registrar without a transport uses the registrar's transport.
    return hops.map((hop) => this.registrarHops.find((known) => samePlace(known, hop)) ?? hop);
  }

  resolve(destination: { host: string; port: number | undefined; protocol: Protocol }): Promise<Hop[]> {
    return resolveHops(
      destination,
      this.#options.resolver ?? systemResolver,
      this.#options.random ?? Math.random,
    );
  }

  newDigest(): DigestClient {
    return new DigestClient({ username: this.username, password: this.#options.password });
  }

  /** Any other peer that asks for credentials could attack the password offline with our answer. */
  digestFor(hop: Hop): DigestClient | undefined {
    const isRegistrar = this.registrarHops.some((known) => samePlace(known, hop));
    return isRegistrar && this.#options.password !== '' ? this.newDigest() : undefined;
  }

  /** @param isSips of a dialog with SIPS addresses, whose Contact has to be one too (RFC 3261 section 12.1.1) */
  async contact(hop: Hop, isSips = false): Promise<string> {
    const address = await this.#transport.localAddress(hop.host);
    const params: Record<string, string> =
      hop.protocol === 'udp' || isSips ? {} : { transport: hop.protocol };
    const uri = sipUri(this.username, address, this.#transport.portOf(hop.protocol), params);
    return `<${formatUri(isSips ? { ...uri, scheme: 'sips' } : uri)}>`;
  }
}
