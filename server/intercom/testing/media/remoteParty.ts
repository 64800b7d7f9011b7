import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import type { Clock } from '../../../platform/clock.ts';
import { silentLogger } from '../../../platform/log.ts';
import { nativeMedia } from '../../../platform/native/nativeMedia.ts';
import { portableDriver } from '../../../webrtc/driver.ts';
import { parseRtpPacket, type RtpPacket } from '../../../webrtc/rtp/rtpPacket.ts';
import { CallMediaFactory } from '../../media/factory.ts';
import type { MediaOptions } from '../../ports.ts';
import { WeriftPage } from './weriftPage.ts';

/** One packet that the remote party received. */
interface Received extends RtpPacket {
  readonly ssrc: number;
}

/** The remote party of one media line: sockets whose packets are all written by the test. */
export class RemoteParty {
  readonly received: Received[] = [];
  readonly raw: Buffer[] = [];
  readonly rtcp: Buffer[] = [];
  readonly #rtp: Socket = createSocket('udp4');
  readonly #rtcp: Socket = createSocket('udp4');
  #sequence = 100;
  #target = 0;

  /** @param t it ends with this test. @param address any of 127.0.0.0/8 */
  static async open(t: { after(end: () => void): void }, address = '127.0.0.1'): Promise<RemoteParty> {
    const end = new RemoteParty();
    for (const socket of [end.#rtp, end.#rtcp]) {
      socket.bind(0, address);
      await once(socket, 'listening');
    }
    end.#rtp.on('message', (data) => {
      end.raw.push(data);
      const packet = parseRtpPacket(data);
      if (packet !== undefined) end.received.push({ ...packet, ssrc: data.readUInt32BE(8) });
    });
    end.#rtcp.on('message', (data) => end.rtcp.push(data));
    t.after(() => end.close());
    return end;
  }

  get port(): number {
    return this.#rtp.address().port;
  }

  get rtcpPort(): number {
    return this.#rtcp.address().port;
  }

  /** Sets where the panel receives, from its description. */
  aimAt(sdp: string, kind: 'audio' | 'video' = 'audio'): void {
    this.#target = Number(new RegExp(`^m=${kind} (\\d+)`, 'm').exec(sdp)![1]);
  }

  /** Sends one packet; the sequence number grows automatically. */
  send(
    payloadType: number,
    timestamp: number,
    payload: Buffer,
    options: { ssrc?: number; sequence?: number; marker?: boolean } = {},
  ): void {
    const header = Buffer.alloc(12);
    header[0] = 0x80;
    header[1] = payloadType | (options.marker === true ? 0x80 : 0);
    if (options.sequence !== undefined) this.#sequence = options.sequence;
    header.writeUInt16BE(this.#sequence++ & 0xffff, 2);
    header.writeUInt32BE(timestamp >>> 0, 4);
    header.writeUInt32BE(options.ssrc ?? 0xabcd, 8);
    this.sendRaw(Buffer.concat([header, payload]));
  }

  sendRaw(packet: Buffer): void {
    this.#rtp.send(packet, this.#target, '127.0.0.1');
  }

  sendRtcp(packet: Buffer): void {
    this.#rtcp.send(packet, this.#target + 1, '127.0.0.1');
  }

  close(): void {
    for (const socket of [this.#rtp, this.#rtcp]) {
      try {
        socket.close();
      } catch {
        // Closed already.
      }
    }
  }
}

/** A description of a remote party on 127.0.0.1. @param audio m= formats and more lines, such as `0` and `a=sendonly` */
export function description(
  audio: { port: number; formats: string; lines?: readonly string[]; protocol?: string },
  video?: { port: number; formats: string; lines?: readonly string[]; protocol?: string },
  session: readonly string[] = ['c=IN IP4 127.0.0.1'],
): string {
  const line = (
    kind: string,
    { port, formats, lines = [], protocol = 'RTP/AVP' }: typeof audio,
  ): string[] => [`m=${kind} ${port} ${protocol} ${formats}`, ...lines];
  return [
    'v=0',
    'o=- 1 1 IN IP4 127.0.0.1',
    's=-',
    ...session,
    't=0 0',
    ...line('audio', audio),
    ...(video === undefined ? [] : line('video', video)),
    '',
  ].join('\r\n');
}

export const CALL: MediaOptions = {
  video: false,
  direction: 'sendrecv',
  secure: false,
  peerHost: '127.0.0.1',
};

/** A factory with a page that is not a browser; both end with the test. */
export async function startFactory(
  t: TestContext,
  clock?: Clock,
): Promise<{ factory: CallMediaFactory; page: WeriftPage }> {
  const page = new WeriftPage();
  const factory = new CallMediaFactory({
    page,
    log: silentLogger(),
    driver: nativeMedia(portableDriver, silentLogger()),
    ...(clock === undefined ? {} : { clock }),
  });
  await factory.start();
  t.after(async () => {
    await factory.stop();
    await page.crash();
  });
  return { factory, page };
}
