import { useEffect, useRef, useState } from 'preact/hooks';
import { call, panel } from '../pages/manage/client/panel.ts';
import { t } from '../pages/manage/language.ts';
import { Card } from '../pages/manage/ui/card.tsx';

/** Its session among those of pages. */
const SESSION = 'settings-picture';

/** Whether this browser runs on the panel: video goes to no other machine. */
const isOnPanel = () =>
  panel().door === 'glass' || /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(location.hostname);

/** The live picture of a camera, on the panel itself. */
export function CameraPicture({ url }: { url: string }) {
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
