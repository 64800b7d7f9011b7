import { useEffect, useRef, useState } from 'preact/hooks';
import type { ResultOf } from '../../contract/commands.ts';
import { CallError, call, panel } from '../../pages/manage/client/panel.ts';
import { bytesText, t, timeText } from '../../pages/manage/language.ts';
import { Card, EmptyState, Field, InBrowser, Loading, TextField } from '../../pages/manage/ui/card.tsx';
import { confirmed, showDialog } from '../../pages/manage/ui/dialog.tsx';
import { useCall } from '../../pages/manage/ui/hooks.ts';
import { Icon } from '../../pages/manage/ui/icons.tsx';
import { attempt, notice, Progress } from '../../pages/manage/ui/notice.tsx';
import { type MenuItem, OverflowMenu } from '../../pages/manage/ui/roving.tsx';
import type { ProjectEntry } from './contract.ts';

/** The installed projects, and the way for new ones. */
export function Projects() {
  const list = useCall<ResultOf<'projects.list'>>('projects.list');
  const settings = useCall<ResultOf<'settings.read'>>('settings.read');
  const entry = settings.data?.settings['projects.parameters'];
  // Until it is known whether this viewer may change parameters, a menu would get that item under the finger.
  const isKnown = settings.data !== undefined || settings.error !== undefined;
  const parameters = (entry !== undefined && 'value' in entry ? entry.value : {}) as Record<string, string>;
  return (
    <>
      {panel().door === 'browser' ? <Install onDone={list.reload} /> : <InBrowser title={t('install')} />}
      <Card title={t('projects')} wide>
        <Loading of={isKnown ? list : { data: undefined, error: list.error }}>
          {({ projects }) => (
            <div class="project-cards" data-testid="projects">
              {projects.length === 0 && <EmptyState icon="content" words={t('noProjects')} />}
              {projects.map((project) => (
                <Entry
                  key={project.id}
                  project={project}
                  reload={list.reload}
                  parameters={parameters}
                  onParameters={entry === undefined ? undefined : settings.reload}
                />
              ))}
            </div>
          )}
        </Loading>
      </Card>
    </>
  );
}

interface EntryProps {
  readonly project: ProjectEntry;
  readonly reload: () => Promise<void>;
  /** What is appended to the address of each project, by its id. */
  readonly parameters: Readonly<Record<string, string>>;
  /** undefined: this viewer may not read them. */
  readonly onParameters: (() => Promise<void>) | undefined;
}

function Entry({ project, reload, parameters, onParameters }: EntryProps) {
  const { id, name, version, active, size, installedAt, previousAt } = project;
  const own = parameters[id];
  const act = async (work: () => Promise<unknown>) => {
    await attempt(work, t('done'));
    await reload();
  };
  const rollback = async () => {
    if (await confirmed(t('rollbackSure', { name }), t('rollback')))
      await act(() => call('projects.rollback', { id }));
  };
  const remove = async () => {
    if (await confirmed(t('removeSure', { name }), t('remove')))
      await act(() => call('projects.remove', { id }));
  };
  const change = async () => {
    await editParameters(project, parameters);
    await onParameters?.();
  };
  const parametersItem: MenuItem = { name: t('parametersChange'), act: () => void change() };
  return (
    <article class="project" aria-label={name} data-testid={`project-${id}`}>
      {active ? <Shown name={name} /> : <Unseen />}
      <div class="project-words">
        <p>
          <strong>{name}</strong> {active && <span class="badge good">{t('active')}</span>}
        </p>
        <p class="hint">{[t('installedAt', { time: timeText(installedAt) }), bytesText(size)].join(' · ')}</p>
        <code class="key">{[id, version].join(' · ')}</code>
        {own !== undefined && (
          <p class="hint">
            {t('parameters')}: <code>{own}</code>
          </p>
        )}
      </div>
      <div class="row">
        <span class="grow">
          {!active && (
            <button type="button" onClick={() => void act(() => call('projects.activate', { id }))}>
              {t('activate')}
            </button>
          )}
        </span>
        <OverflowMenu
          label={t('moreOf', { name })}
          testId={`project-menu-${id}`}
          items={[
            ...(onParameters === undefined ? [] : [parametersItem]),
            previousAt === null
              ? { name: t('rollback'), act: () => {}, reason: t('noVersionBefore') }
              : { name: t('rollbackTo', { time: timeText(previousAt) }), act: () => void rollback() },
            { name: t('remove'), act: () => void remove(), isDangerous: true },
          ]}
        />
      </div>
    </article>
  );
}

/** What the panel shows now, once; of the other projects there is no picture. */
function Shown({ name }: { name: string }) {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    let made: string | undefined;
    let isGone = false;
    panel()
      .media('kiosk.screenshot', {})
      .then(
        (picture) => {
          if (isGone) return;
          made = URL.createObjectURL(picture);
          setAddress(made);
        },
        // A panel without a screen has none.
        () => {},
      );
    return () => {
      isGone = true;
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, []);
  return address === undefined ? (
    <Unseen />
  ) : (
    <img class="project-picture" src={address} alt={t('pictureOf', { name })} />
  );
}

function Unseen() {
  return (
    <div class="project-picture" aria-hidden="true">
      <Icon name="content" />
    </div>
  );
}

/** Asks for what is appended to the address of one project; one setting has it for all of them. */
function editParameters({ id, name }: ProjectEntry, all: Readonly<Record<string, string>>): Promise<void> {
  return showDialog('parameters', t('parametersOf', { name }), (close) => (
    <Parameters id={id} name={name} all={all} close={close} />
  ));
}

interface ParametersProps {
  readonly id: string;
  readonly name: string;
  readonly all: Readonly<Record<string, string>>;
  readonly close: () => void;
}

function Parameters({ id, name, all, close }: ParametersProps) {
  const [text, setText] = useState(all[id] ?? '');
  const [mistake, setMistake] = useState('');
  const save = async () => {
    const { [id]: _, ...others } = all;
    const wished = text.trim();
    const value = wished === '' ? others : { ...others, [id]: wished };
    try {
      await call('settings.change', { 'projects.parameters': value });
      notice(t('saved'));
      close();
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      setMistake(error.message);
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <h2>{t('parametersOf', { name })}</h2>
      <TextField
        label={t('parameters')}
        hint={t('parametersHint')}
        value={text}
        onText={setText}
        testId={`parameters-${id}`}
      />
      <p class="mistake" role="alert">
        {mistake}
      </p>
      <div class="row end">
        <button type="button" onClick={close}>
          {t('cancel')}
        </button>
        <button type="submit" class="primary">
          {t('save')}
        </button>
      </div>
    </form>
  );
}

function Install({ onDone }: { onDone: () => Promise<void> }) {
  const [file, setFile] = useState<File>();
  const [name, setName] = useState('');
  const [isOver, setOver] = useState(false);
  const [running, setRunning] = useState<{ part: number; end: () => void }>();
  const [mistake, setMistake] = useState('');
  const chooser = useRef<HTMLInputElement>(null);
  const take = (given: File | undefined) => {
    if (given === undefined) return;
    setFile(given);
    setName(given.name.replace(/\.[^.]*$/, '').slice(0, 80));
    setMistake('');
  };
  const install = async (given: File) => {
    const ending = new AbortController();
    const tell = (part: number) => setRunning({ part, end: () => ending.abort() });
    tell(0);
    setMistake('');
    try {
      const made = await panel().upload(
        'projects.install',
        { name: name.trim() },
        given,
        tell,
        ending.signal,
      );
      notice(t('installed', { name: (made as { name: string }).name }));
      setFile(undefined);
      await onDone();
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      setMistake(error.message);
    } finally {
      setRunning(undefined);
    }
  };
  return (
    <Card title={t('install')} wide>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: whoever drops nothing has the button inside. */}
      <div
        class={`drop ${isOver ? 'over' : ''}`}
        data-testid="drop"
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          take(event.dataTransfer?.files[0]);
        }}
      >
        <p>{file === undefined ? t('dropProject') : `${file.name} · ${bytesText(file.size)}`}</p>
        <button type="button" disabled={running !== undefined} onClick={() => chooser.current?.click()}>
          {t('chooseFile')}
        </button>
        <input
          ref={chooser}
          type="file"
          hidden
          accept=".zip,.ch5z"
          data-testid="file"
          onChange={({ currentTarget }) => take(currentTarget.files?.[0])}
        />
      </div>
      {file !== undefined && (
        <form
          class="row"
          onSubmit={(event) => {
            event.preventDefault();
            void install(file);
          }}
        >
          <Field label={t('projectName')}>
            <input
              type="text"
              required
              maxLength={80}
              data-testid="project-name"
              value={name}
              onInput={({ currentTarget }) => setName(currentTarget.value)}
            />
          </Field>
          <button type="submit" class="primary" data-testid="install" disabled={running !== undefined}>
            {t('install')}
          </button>
        </form>
      )}
      {running !== undefined && <Progress {...running} />}
      <p class="mistake" role="alert" data-testid="install-mistake">
        {mistake}
      </p>
    </Card>
  );
}
