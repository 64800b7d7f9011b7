import { FaceplateError } from '../../contract/errors.ts';
import { PPS, SPS } from '../../testing/scriptedCamera.ts';
import { H264Source } from '../h264Source.ts';
import { parseSpsSize } from '../rtp/h264Sps.ts';
import { parseFeedback, parseSenderReport } from '../rtp/rtcp.ts';
import { parseRtpPacket } from '../rtp/rtpPacket.ts';
import { RtspFramer } from '../rtsp/message.ts';
import { parseSessionDescription } from '../rtsp/sdp.ts';
import { chooseTracks } from '../tracks.ts';
import { hasIntegrity, parseBindingRequest } from '../webrtc/stun.ts';
import type { CorpusKind } from './corpus.ts';

/** Reads a stream of RTSP in these chunks. @returns what was found, `refused` last where it was given up. */
export function readRtsp(chunks: readonly Buffer[]): string[] {
  const found: string[] = [];
  const framer = new RtspFramer({
    onResponse: ({ status, body }) => found.push(`${status} ${body.length}`),
    onRequest: ({ method }) => found.push(method),
    onInterleaved: (channel, payload) => found.push(`${channel} ${payload.toString('hex')}`),
  });
  try {
    for (const chunk of chunks) framer.push(chunk);
  } catch (error) {
    if (!(error instanceof FaceplateError)) throw error;
    found.push('refused');
  }
  return found;
}

/** Everything that is done with bytes from outside. @returns whether they were taken. @throws FaceplateError, and nothing else */
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
    if (packet !== undefined) new H264Source([SPS, PPS]).push(packet);
    return packet !== undefined;
  },
  rtcp: (data) => parseFeedback(data).length > 0 || parseSenderReport(data) !== undefined,
  stun: (data) => {
    const request = parseBindingRequest(data);
    if (request !== undefined && hasIntegrity(request, 'password'))
      throw new Error('nobody knew this password');
    return request !== undefined;
  },
};
