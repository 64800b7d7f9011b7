import { useRef, useState } from 'preact/hooks';
import type { ResultOf } from '../../contract/commands.ts';
import { CallError, call, panel } from '../../pages/manage/client/panel.ts';
import { bytesText, t, timeText } from '../../pages/manage/language.ts';
import { Card, Field, InBrowser, Loading } from '../../pages/manage/ui/card.tsx';
import { confirmed } from '../../pages/manage/ui/dialog.tsx';
import { useCall } from '../../pages/manage/ui/hooks.ts';
import { attempt, notice, Progress } from '../../pages/manage/ui/notice.tsx';
import type { ProjectEntry } from './contract.ts';

/** The installed projects, and the way for new ones. */
export function Projects() {
  const list = useCall<ResultOf<'projects.list'>>('projects.list');
  return (
    <>
      {panel().door === 'browser' ? <Install onDone={list.reload} /> : <InBrowser title={t('install')} />}
      <Card title={t('projects')} wide>
        <Loading of={list}>
          {({ projects }) => (
            <ul class="entries" data-testid="projects">
              {projects.length === 0 && <li class="hint">{t('noProjects')}</li>}
              {projects.map((project) => (
                <Entry key={project.id} project={project} reload={list.reload} />
              ))}
            </ul>
          )}
        </Loading>
      </Card>
    </>
  );
}

function Entry({ project, reload }: { project: ProjectEntry; reload: () => Promise<void> }) {
  const { id, name, version, active, size, installedAt } = project;
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
  return (
    <li data-testid={`project-${id}`}>
      <div class="grow">
        <strong>{name}</strong>
        {active && <span class="badge good">{t('active')}</span>}
        <p class="hint">
          {[
            id,
            t('version', { version }),
            bytesText(size),
            t('installedAt', { time: timeText(installedAt) }),
          ].join(' · ')}
        </p>
        <Parameters id={id} />
      </div>
      {!active && (
        <button
          type="button"
          class="primary"
          onClick={() => void act(() => call('projects.activate', { id }))}
        >
          {t('activate')}
        </button>
      )}
      <button type="button" onClick={() => void rollback()}>
        {t('rollback')}
      </button>
      <button type="button" class="danger" onClick={() => void remove()}>
        {t('remove')}
      </button>
    </li>
  );
}

/** What is appended to the address of one project; one setting has it for all of them. */
function Parameters({ id }: { id: string }) {
  const settings = useCall<ResultOf<'settings.read'>>('settings.read');
  const entry = settings.data?.settings['projects.parameters'];
  const all = (entry !== undefined && 'value' in entry ? entry.value : {}) as Record<string, string>;
  const [text, setText] = useState<string>();
  const save = async () => {
    const { [id]: _, ...others } = all;
    const wished = (text ?? '').trim();
    const value = wished === '' ? others : { ...others, [id]: wished };
    if (await attempt(() => call('settings.change', { 'projects.parameters': value }), t('saved'))) {
      setText(undefined);
      await settings.reload();
    }
  };
  if (entry === undefined) return null;
  return (
    <details>
      <summary>
        {t('parameters')} <code>{all[id] ?? ''}</code>
      </summary>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <Field label={t('parameters')} hint={t('parametersHint')}>
          <input
            type="text"
            spellcheck={false}
            data-testid={`parameters-${id}`}
            value={text ?? all[id] ?? ''}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </Field>
        <button type="submit">{t('save')}</button>
      </form>
    </details>
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
