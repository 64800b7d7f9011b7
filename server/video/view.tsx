import type { ResultOf } from '../contract/commands.ts';
import { hasText, t, timeText } from '../pages/manage/language.ts';
import { CallShown } from '../pages/manage/ui/callShown.tsx';
import { Card, Loading } from '../pages/manage/ui/card.tsx';
import { useCall, useEvent, useEvery } from '../pages/manage/ui/hooks.ts';
import { MoreSettings } from '../pages/manage/views/moreSettings.tsx';
import { NamedCameras } from './named/viewCameras.tsx';
import { CameraTest } from './viewTest.tsx';

type Sessions = ResultOf<'stream.sessions'>;
type Session = Sessions['sessions'][number];

const READ_EVERY_MS = 3_000;

/** Cameras: those with a name, one to try, and the list of viewers. */
export function Cameras() {
  return (
    <>
      <NamedCameras />
      <CameraTest />
      <SessionList />
      <MoreSettings path="devices/cameras" title={t('cameraSettings')} />
    </>
  );
}

function SessionList() {
  const list = useCall<Sessions>('stream.sessions');
  useEvent('stream', () => void list.reload());
  // Sessions that ended are not announced, and figures only now and then.
  useEvery(READ_EVERY_MS, list.reload);
  return (
    <Card title={t('sessions')} wide>
      <Loading of={list}>
        {({ sessions, max }) => (
          <>
            <p class="hint" data-testid="session-count">
              {sessions.length === 0 ? t('noSessions') : t('sessionsOf', { count: sessions.length, max })}
            </p>
            <ul class="entries" data-testid="sessions">
              {sessions.map((session) => (
                <Watched key={session.id} session={session} />
              ))}
            </ul>
          </>
        )}
      </Loading>
      <CallShown command="stream.sessions" />
    </Card>
  );
}

function Watched({ session }: { session: Session }) {
  const {
    id,
    url,
    state,
    codec,
    audioCodec,
    width,
    height,
    bitrate,
    packets,
    lost,
    startedAt,
    viewers,
    problem,
  } = session;
  const word = `stream_${state}`;
  const facts = [
    width !== null && height !== null ? `${width} × ${height}` : '',
    codec,
    audioCodec ?? '',
    t('kilobits', { rate: Math.round(bitrate / 1_000) }),
    t('lostOf', { lost, packets }),
  ].filter((text) => text !== '');
  return (
    <li>
      <div class="grow">
        <strong>{url}</strong> <code class="key">{id}</code>
        <p class={state === 'playing' && problem === null ? 'good' : 'warm'}>
          {hasText(word) ? t(word) : state}
        </p>
        {problem !== null && <p data-testid="problem">{problemText(problem)}</p>}
        <p class="hint">{facts.join(' · ')}</p>
        <p class="hint">{t('viewersOf', { viewers, time: timeText(startedAt) })}</p>
      </div>
    </li>
  );
}

/** Why a viewer gets no picture, in the words of the test of a camera. */
function problemText({ code, error }: NonNullable<Session['problem']>): string {
  const word = `camera_${code}`;
  return hasText(word) ? t(word) : error;
}
