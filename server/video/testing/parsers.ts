import { FaceplateError } from '../../contract/errors.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import { PPS, SPS } from '../../testing/scriptedCamera.ts';
import { hasIntegrity, parseBindingRequest } from '../../webrtc/ice/stun.ts';
import { H264Source } from '../../webrtc/rtp/h264Source.ts';
import { parseSpsSize } from '../../webrtc/rtp/h264Sps.ts';
import { parseFeedback, parseSenderReport } from '../../webrtc/rtp/rtcp.ts';
import { parseRtpPacket } from '../../webrtc/rtp/rtpPacket.ts';
import { RtspFramer } from '../rtsp/message.ts';
import { parseSessionDescription } from '../rtsp/sdp.ts';
import { chooseTracks } from '../tracks.ts';
import type { CorpusKind } from './corpus.ts';

/** Reads a stream of RTSP in these chunks. @returns what was found; ends with `refused` if the stream was refused. */
export function readRtsp(chunks: readonly Buffer[]): string[] {
  const found: string[] = [];
  const framer = new RtspFramer({
    onResponse: ({ status, body }) => found.push(`${status} ${body.length}`),
    onRequest: ({ method }) => found.push(method),
    onInterleaved: (channel, payload) => found.push(`${channel} ${payload.toString('hex')}`),
    awaitsDescription: () => true,
  });
  try {
    for (const chunk of chunks) framer.push(chunk);
    const { patience } = framer;
    framer.settle();
    if (found.length > 0) found.push(`after ${patience}`);
  } catch (error) {
    if (!(error instanceof FaceplateError)) throw error;
    found.push('refused');
  }
  return found;
}

/**
 * All processing of bytes from outside. @returns whether they were accepted. @throws FaceplateError, and nothing else
 */
export const parsers: Readonly<Record<Exclude<CorpusKind, 'srtcp'>, (data: Buffer) => boolean>> = {
  rtsp: (data) => {
    const found = readRtsp([data]);
    return found.length > 0 && found.at(-1) !== 'refused';
  },
  sdp: (data) => {
    const description = parseSessionDescription(data.toString('utf8'));
    for (const nal of chooseTracks(description).video.parameterSets) parseSpsSize(nal);
    return true;
  },
  rtp: (data) => {
    const packet = parseRtpPacket(data);
    if (packet === undefined) return false;
    new H264Source([SPS, PPS], { clock: new FakeClock(), onPacket: () => {} }).push(packet, true);
    return true;
  },
  rtcp: (data) => parseFeedback(data).length > 0 || parseSenderReport(data) !== undefined,
  stun: (data) => {
    const request = parseBindingRequest(data);
    if (request !== undefined && hasIntegrity(request, 'password'))
      throw new Error('nobody knew this password');
    return request !== undefined;
  },
};
