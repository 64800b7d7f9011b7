import { useEffect, useState } from 'preact/hooks';
import type { SettingsAnswer } from '../../config/contract.ts';
import type { ResultOf } from '../../contract/commands.ts';
import { CallError, call, panel } from '../../pages/manage/client/panel.ts';
import { hasText, t } from '../../pages/manage/language.ts';
import { CallShown } from '../../pages/manage/ui/callShown.tsx';
import { Card, Loading, Problem, TextField } from '../../pages/manage/ui/card.tsx';
import { confirmed } from '../../pages/manage/ui/dialog.tsx';
import { useCall, useEvent, useTried } from '../../pages/manage/ui/hooks.ts';
import { attempt } from '../../pages/manage/ui/notice.tsx';

type Named = ResultOf<'stream.cameras.named'>['cameras'][number];
type Found = ResultOf<'stream.search'>['cameras'][number];
type Profiles = ResultOf<'stream.profiles'>;

/** An entry of `streams.cameras`, as it is read and sent. */
interface Entry {
  readonly name: string;
  readonly url: string;
  readonly login?: object | null;
}

/** The setting as it is now, for a change of one entry: the list is replaced as a whole, and keeps its logins. */
async function changeCameras(change: (entries: readonly Entry[]) => readonly Entry[]): Promise<void> {
  const { settings } = (await call('settings.read')) as SettingsAnswer;
  const setting = settings['streams.cameras'];
  const entries = setting !== undefined && 'value' in setting ? (setting.value as Entry[]) : [];
  await call('settings.change', { streams: { cameras: change(entries) } });
}

/** The cameras that have a name, and new ones. */
export function NamedCameras() {
  const list = useCall<{ cameras: Named[] }>('stream.cameras.named');
  useEvent('stream', () => void list.reload());
  return (
    <>
      <Card title={t('namedCameras')} wide>
        <Loading of={list}>
          {({ cameras }) => (
            <>
              {cameras.length === 0 && <p class="hint">{t('noNamedCameras')}</p>}
              <ul class="entries" data-testid="named-cameras">
                {cameras.map((camera) => (
                  <NamedCamera key={camera.name} camera={camera} reload={list.reload} />
                ))}
              </ul>
            </>
          )}
        </Loading>
        <CallShown command="stream.cameras.named" />
      </Card>
      <NewCamera reload={list.reload} />
    </>
  );
}

function NamedCamera({ camera, reload }: { camera: Named; reload: () => Promise<void> }) {
  const { name, host, verdict } = camera;
  const url = `camera:${name}`;
  const inspected = useTried<object>();
  const profiles = useTried<Profiles>();
  const check = async () => {
    await inspected.run(() => call('stream.inspect', { url }));
    await reload();
  };
  const remove = async () => {
    if (!(await confirmed(t('removeCameraSure', { name }), t('removeCamera')))) return;
    await attempt(() => changeCameras((entries) => entries.filter((entry) => entry.name !== name)));
    await reload();
  };
  const word = `camera_${verdict?.code}`;
  return (
    <li>
      <CameraPicture url={url} name={name} />
      <div class="grow">
        <strong>{name}</strong> <span class="hint">{host}</span>
        <p class={verdict?.code === 'OK' ? 'good' : 'warm'} data-testid="camera-verdict">
          {verdict === null ? t('neverWatched') : hasText(word) ? t(word) : verdict.code}
        </p>
        <Problem error={inspected.error ?? profiles.error} />
        {profiles.outcome !== undefined && <ProfileList of={profiles.outcome} />}
      </div>
      <button
        type="button"
        disabled={inspected.isBusy}
        data-testid="check-camera"
        onClick={() => void check()}
      >
        {t('inspect')}
      </button>
      <button
        type="button"
        disabled={profiles.isBusy}
        data-testid="ask-profiles"
        onClick={() => void profiles.run(() => call('stream.profiles', { url }))}
      >
        {t('profiles')}
      </button>
      <button type="button" class="danger" data-testid="remove-camera" onClick={() => void remove()}>
        {t('removeCamera')}
      </button>
      <CallShown command="stream.profiles" params={{ url }} />
    </li>
  );
}

/** Pixels across, for a screen with two to each of ours. */
const PICTURE_WIDTH = 320;
/** Pictures are taken one after the other: a list of 32 cameras dials one at a time. */
let lastPicture: Promise<unknown> = Promise.resolve();

/** What a camera shows now; a press takes a new picture. */
function CameraPicture({ url, name }: { url: string; name: string }) {
  const [picture, setPicture] = useState<string>();
  const [count, setCount] = useState(0);
  const [error, setError] = useState<string>();
  useEffect(() => {
    let isThere = true;
    let made: string | undefined;
    const take = async () => {
      if (!isThere) return;
      try {
        const blob = await panel().media('stream.snapshot', { url, width: PICTURE_WIDTH });
        if (!isThere) return;
        made = URL.createObjectURL(blob);
        setPicture(made);
        setError(undefined);
      } catch (failure) {
        if (isThere && failure instanceof CallError) setError(failure.message);
      }
    };
    lastPicture = lastPicture.then(take);
    return () => {
      isThere = false;
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, [url, count]);
  return (
    <button
      type="button"
      class="quiet camera-picture"
      title={error ?? t('newPicture')}
      data-testid="camera-picture"
      onClick={() => setCount(count + 1)}
    >
      {picture === undefined ? (
        <span class="hint">{error === undefined ? '…' : t('noPicture')}</span>
      ) : (
        <img src={picture} alt={t('cameraPicture', { name })} />
      )}
    </button>
  );
}

/** What a camera says of itself. */
function ProfileList({ of: { profiles, clockOffSeconds, ptz, talk, events } }: { of: Profiles }) {
  const abilities = [ptz && t('canMove'), talk && t('canTalk'), events && t('hasEvents')].filter(Boolean);
  return (
    <div data-testid="profiles">
      <ul>
        {profiles.map(({ token, name, codec, width, height, fps, chosen }) => (
          <li key={token}>
            {[name, codec, `${width} × ${height}`, fps === null ? '' : `${Math.round(fps)} fps`]
              .filter((text) => text !== '')
              .join(', ')}
            {chosen !== null && ` (${t(chosen === 'small' ? 'chosenSmall' : 'chosenLarge')})`}
          </li>
        ))}
      </ul>
      {abilities.length > 0 && <p class="hint">{abilities.join(' · ')}</p>}
      {Math.abs(clockOffSeconds) > 30 && <p class="warm">{t('clockOff', { seconds: clockOffSeconds })}</p>}
    </div>
  );
}

function NewCamera({ reload }: { reload: () => Promise<void> }) {
  const [name, setName] = useState('');
  const [url, setUrl] = useState('');
  const [user, setUser] = useState('');
  const [password, setPassword] = useState('');
  const search = useTried<{ cameras: Found[] }>();
  const add = async () => {
    const login = user === '' ? {} : { login: { user, password } };
    const isDone = await attempt(
      () => changeCameras((entries) => [...entries, { name: name.trim(), url: url.trim(), ...login }]),
      t('cameraAdded'),
    );
    if (!isDone) return;
    for (const empty of [setName, setUrl, setUser, setPassword]) empty('');
    await reload();
  };
  const take = (camera: Found) => {
    setUrl(camera.url);
    if (name === '') setName((camera.name ?? camera.host).replaceAll(/[/+#]/g, ' ').slice(0, 40));
  };
  return (
    <Card title={t('newCamera')} wide>
      <div class="row">
        <button
          type="button"
          data-testid="search-cameras"
          disabled={search.isBusy}
          onClick={() => void search.run(() => call('stream.search', { seconds: 3 }))}
        >
          {t('searchCameras')}
        </button>
        {search.isBusy && (
          <span class="hint" role="status">
            {t('searchingCameras')}
          </span>
        )}
      </div>
      <CallShown command="stream.search" params={{ seconds: 3 }} />
      <Problem error={search.error} />
      {search.outcome?.cameras.length === 0 && <p class="hint">{t('noCamerasFound')}</p>}
      <ul class="entries" data-testid="found-cameras">
        {search.outcome?.cameras.map((camera) => (
          <li key={camera.url}>
            <span class="grow">
              <strong>{camera.name ?? camera.host}</strong>{' '}
              <span class="hint">{[camera.maker, camera.url].filter(Boolean).join(' · ')}</span>
            </span>
            <button type="button" onClick={() => take(camera)}>
              {t('takeCamera')}
            </button>
          </li>
        ))}
      </ul>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <TextField
          label={t('cameraName')}
          value={name}
          onText={setName}
          testId="camera-name"
          maxLength={40}
        />
        <TextField
          label={t('cameraAddress')}
          hint={t('newCameraHint')}
          value={url}
          onText={setUrl}
          testId="new-camera-url"
          maxLength={2_048}
        />
        <TextField
          label={t('cameraUser')}
          value={user}
          onText={setUser}
          testId="camera-user"
          maxLength={200}
        />
        <TextField
          label={t('cameraPassword')}
          type="password"
          value={password}
          onText={setPassword}
          testId="camera-password"
          maxLength={200}
        />
        <div class="row">
          <button
            type="submit"
            class="primary"
            data-testid="add-camera"
            disabled={name.trim() === '' || url.trim() === ''}
          >
            {t('addCamera')}
          </button>
        </div>
      </form>
    </Card>
  );
}
