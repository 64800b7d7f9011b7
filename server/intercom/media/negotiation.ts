import { randomInt } from 'node:crypto';
import { FaceplateError } from '../../contract/errors.ts';
import { AesCmSession, createMaster } from '../../webrtc/srtp/aesCm.ts';
import type { MediaParty } from '../ports.ts';
import type { LineKeys, RemoteEnd } from './rtp/rtpLine.ts';
import { type Crypto, type MediaLine, parseDescription } from './sdp/description.ts';
import { agree, agreeAgain, directionOf, type LineTerms, type Terms, type Wishes } from './sdp/terms.ts';
import { type LocalLine, type OfferedLine, writeAnswer, writeOffer } from './sdp/write.ts';

type Kind = 'audio' | 'video';

interface NegotiationOptions {
  /** Our own address, as in our descriptions. */
  readonly address: string;
  /** Even ports; no video port means no video. */
  readonly ports: { readonly audio: number; readonly video: number | undefined };
  readonly wishes: Wishes;
  /** No line without keys is used; our offers have keys. */
  readonly mustBeSecure: boolean;
}

/** Keys of one line, and the remote key they were made for. */
interface MadeKeys {
  readonly suite: Crypto['suite'];
  readonly receiveMaster: Buffer;
  readonly keys: LineKeys;
}

/** Offer and answer of one call (RFC 3264): the last descriptions and the order of their lines. */
export class Negotiation {
  readonly #options: NegotiationOptions;
  readonly #id = randomInt(1, 2 ** 47);
  readonly #masters: Readonly<Record<Kind, Buffer>> = { audio: createMaster(), video: createMaster() };
  readonly #keys: Partial<Record<Kind, MadeKeys>> = {};
  #agreed: Terms | undefined;
  #version = 0;
  #last = '';
  /** The lines of the last exchange; they keep their order for the whole call. */
  #lines: readonly (Kind | MediaLine)[];

  constructor(options: NegotiationOptions) {
    this.#options = options;
    this.#lines = options.ports.video === undefined ? ['audio'] : ['audio', 'video'];
  }

  offer(): string {
    const { wishes, ports, mustBeSecure } = this.#options;
    const lines = this.#lines.map((line): OfferedLine => {
      if (typeof line !== 'string') return { kind: 'refused', line };
      const crypto = mustBeSecure ? this.#crypto(line, 1, 'AES_CM_128_HMAC_SHA1_80') : undefined;
      const local = { port: ports[line] ?? 0, direction: wishes.direction, crypto };
      return line === 'audio' ? { kind: line, codecs: wishes.codecs, local } : { kind: line, local };
    });
    return this.#say((session) => writeOffer(session, lines));
  }

  /** @throws FaceplateError INVALID_REQUEST if it does not answer our offer, UNSUPPORTED_CODEC if no codec fits. */
  accept(sdp: string): Terms {
    const { media } = parseDescription(sdp);
    const answered = this.#lines.flatMap((line, index): MediaLine[] => {
      if (typeof line !== 'string') return [];
      // Some devices answer with more lines than were offered, or in another order (RFC 3264 section 6 forbids both).
      const candidates = [media[index], ...media].filter((found) => found?.kind === line);
      const found = candidates.find((candidate) => candidate?.port !== 0) ?? candidates[0];
      return found === undefined ? [] : [found];
    });
    if (!answered.some(({ kind }) => kind === 'audio')) {
      throw new FaceplateError('INVALID_REQUEST', 'The answer has no media line for sound.', {
        field: 'sdp',
      });
    }
    const { wishes, mustBeSecure } = this.#options;
    this.#agreed = agree({ media: answered }, wishes, mustBeSecure, true);
    return this.#agreed;
  }

  /**
   * @param isEarly we send no media yet.
   * @throws FaceplateError INVALID_REQUEST, UNSUPPORTED_CODEC if no codec fits.
   */
  answer(sdp: string, isEarly: boolean): { terms: Terms; answer: string } {
    const description = parseDescription(sdp);
    const { wishes, mustBeSecure } = this.#options;
    const terms =
      this.#agreed === undefined
        ? agree(description, wishes, mustBeSecure)
        : agreeAgain(description, wishes, mustBeSecure, this.#agreed);
    this.#agreed = terms;
    this.#lines = description.media.map((line, index) => this.#lineOf(terms, index) ?? line);
    const local = (of: Kind, line: LineTerms): LocalLine => ({
      port: this.#options.ports[of] ?? 0,
      direction: isEarly ? directionOf(false, line.direction.includes('recv')) : line.direction,
      crypto: line.crypto && this.#crypto(of, line.crypto.tag, line.crypto.suite),
    });
    const lines = {
      audio: local('audio', terms.audio),
      video: terms.video && local('video', terms.video),
    };
    return { terms, answer: this.#say((session) => writeAnswer(session, description, terms, lines)) };
  }

  /** Where a line's packets come from and go to; undefined while there is no such address. */
  remoteOf(terms: Terms, of: Kind, from: MediaParty): Omit<RemoteEnd, 'isNamed'> | undefined {
    const line = terms[of];
    return line?.rtp && { ...line.rtp, rtcp: line.rtcp, rtcpMux: line.rtcpMux, from };
  }

  /** The keys of a line; unchanged as long as the remote party keeps its keys. */
  keysOf(terms: Terms, of: Kind): LineKeys | undefined {
    const crypto = terms[of]?.crypto;
    if (crypto === undefined) return undefined;
    const made = this.#keys[of];
    const isSameSuite = made?.suite === crypto.suite;
    if (isSameSuite && made.receiveMaster.equals(crypto.master)) return made.keys;
    const keys = {
      send: isSameSuite ? made.keys.send : new AesCmSession(crypto.suite, this.#masters[of]),
      receive: new AesCmSession(crypto.suite, crypto.master),
    };
    this.#keys[of] = { suite: crypto.suite, receiveMaster: crypto.master, keys };
    return keys;
  }

  #lineOf(terms: Terms, index: number): Kind | undefined {
    if (index === terms.audio.index) return 'audio';
    return index === terms.video?.index ? 'video' : undefined;
  }

  #crypto(of: Kind, tag: number, suite: Crypto['suite']): Crypto {
    return { tag, suite, master: this.#masters[of] };
  }

  /** The version grows when a description differs from the previous one (RFC 3264 section 8). */
  #say(write: (session: { id: number; version: number; address: string }) => string): string {
    const session = { id: this.#id, address: this.#options.address };
    if (write({ ...session, version: this.#version }) !== this.#last) {
      this.#last = write({ ...session, version: ++this.#version });
    }
    return this.#last;
  }
}
