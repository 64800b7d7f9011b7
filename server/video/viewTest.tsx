import { useEffect, useRef, useState } from 'preact/hooks';
import { call, panel } from '../pages/manage/client/panel.ts';
import { hasText, t, translated } from '../pages/manage/language.ts';
import { CallShown } from '../pages/manage/ui/callShown.tsx';
import { Card, Facts, Problem, TextField } from '../pages/manage/ui/card.tsx';
import { useParts, useTried } from '../pages/manage/ui/hooks.ts';
import type { CameraInspection } from './contract.ts';

/** Tries an address, and says the result in words. */
export function CameraTest() {
  const { camera } = useParts();
  const [typed, setTyped] = useState<string>();
  const { isBusy, outcome: found, error, run: attempt } = useTried<CameraInspection>();
  // The simulated board brings a camera to try with.
  const url = (typed ?? camera ?? '').trim();
  const inspect = () => attempt(() => call('stream.inspect', { url }));
  return (
    <>
      <Card title={t('tryCamera')} wide>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void inspect();
          }}
        >
          <TextField
            label={t('cameraAddress')}
            hint={t('cameraHint')}
            value={typed ?? camera ?? ''}
            onText={setTyped}
            testId="camera-url"
            maxLength={2_048}
          />
          <div class="row">
            <button type="submit" class="primary" data-testid="inspect" disabled={isBusy || url === ''}>
              {t('inspect')}
            </button>
            {isBusy && (
              <span class="hint" role="status">
                {t('inspecting')}
              </span>
            )}
          </div>
        </form>
        <CallShown command="stream.inspect" params={{ url }} />
        <Problem error={error} />
        {found !== undefined && <Verdict found={found} />}
      </Card>
      <CameraPicture url={url} />
    </>
  );
}

function Verdict({ found }: { found: CameraInspection }) {
  const { ok, code, verdict, hint, video, mended } = found;
  const word = `camera_${code}`;
  return (
    <div role="status" data-testid="verdict">
      <p class={`big ${ok ? 'good' : 'warm'}`}>{hasText(word) ? t(word) : verdict}</p>
      {!ok && <p class="hint">{`${verdict} ${hint}`.trim()}</p>}
      {mended.length > 0 && (
        <>
          <p>{t('mended')}</p>
          <ul data-testid="mended">
            {mended.map((sentence) => (
              <li key={sentence}>{translated(sentence)}</li>
            ))}
          </ul>
        </>
      )}
      <Facts
        rows={[
          [t('video'), video === null ? undefined : [video.codec, video.profile].filter(Boolean).join(', ')],
          [t('pictureSize'), video === null ? undefined : pictureText(video)],
          [
            t('bitrate'),
            video === null ? undefined : t('kilobits', { rate: Math.round(video.bitrate / 1_000) }),
          ],
          [t('transport'), video?.transport?.toUpperCase()],
          [t('keyFrames'), video === null ? undefined : String(video.keyFrames)],
          [
            t('lostPackets'),
            video === null ? undefined : t('lostOf', { lost: video.lost, packets: video.packets }),
          ],
          [t('sound'), soundText(found)],
        ]}
      />
    </div>
  );
}

function pictureText({ width, height, fps }: NonNullable<CameraInspection['video']>): string {
  const size = width === null || height === null ? '' : `${width} × ${height}`;
  return [size, fps === null ? '' : `${Math.round(fps)} fps`].filter((text) => text !== '').join(', ');
}

/** Cameras that are set to AAC name it in SDP by the ways that carry it (RFC 3640, RFC 3016). */
const AAC = ['MPEG4-GENERIC', 'MP4A-LATM'];

/** Why the sound is heard, or not. */
function soundText({ video, audio }: CameraInspection): string | undefined {
  // Of a camera that did not answer nothing is known.
  if (audio === null) return video === null ? undefined : t('soundNone');
  const codec = AAC.includes(audio.codec.toUpperCase()) ? 'AAC' : audio.codec;
  return t(audio.forwarded ? 'soundHeard' : 'soundNotHeard', { codec });
}

/** Its session among those of pages. */
const SESSION = 'settings-picture';

/** Whether this browser runs on the panel: video goes to no other machine. */
const isOnPanel = () =>
  panel().door === 'glass' || /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(location.hostname);

/** The live picture of a camera, on the panel itself. */
function CameraPicture({ url }: { url: string }) {
  const [shown, setShown] = useState<string>();
  if (!isOnPanel())
    return (
      <Card title={t('livePicture')} wide>
        <p class="hint" data-testid="picture-elsewhere">
          {t('pictureElsewhere')}
        </p>
      </Card>
    );
  return (
    <Card title={t('livePicture')} wide>
      <div class="row">
        <button
          type="button"
          data-testid="picture"
          disabled={shown === undefined && url === ''}
          onClick={() => setShown(shown === undefined ? url : undefined)}
        >
          {shown === undefined ? t('showPicture') : t('hidePicture')}
        </button>
      </div>
      {shown !== undefined && <Player key={shown} url={shown} />}
    </Card>
  );
}

function Player({ url }: { url: string }) {
  const video = useRef<HTMLVideoElement>(null);
  const [mistake, setMistake] = useState('');
  useEffect(() => {
    const connection = new RTCPeerConnection({ iceServers: [] });
    const media = new MediaStream();
    connection.addTransceiver('video', { direction: 'recvonly' });
    connection.addEventListener('track', ({ track }) => media.addTrack(track));
    if (video.current !== null) video.current.srcObject = media;
    const open = async () => {
      await connection.setLocalDescription();
      const offer = connection.localDescription?.sdp ?? '';
      const { sdp } = await call('stream.open', { id: SESSION, url, sdp: offer });
      if (connection.signalingState !== 'closed')
        await connection.setRemoteDescription({ type: 'answer', sdp });
    };
    const opening = open().catch((error: unknown) => setMistake((error as Error).message));
    return () => {
      connection.close();
      // It ends with its connection too; this is sooner.
      void opening.then(() => call('stream.close', { id: SESSION })).catch(() => undefined);
    };
  }, [url]);
  return (
    <>
      <video ref={video} class="camera" autoplay muted playsInline data-testid="camera-video" />
      <p class="mistake" role="alert">
        {mistake}
      </p>
    </>
  );
}
