import type { ProjectEntry } from '../../../contract/projects.ts';
import { h } from '../dom.ts';
import { call } from '../host.ts';
import { t } from '../language.ts';
import { attempt, confirmed } from '../notice.ts';
import { section } from './section.ts';

/** The installed projects. */
export async function projectCards(): Promise<HTMLElement[]> {
  const list = h('ul', { class: 'entries', 'data-testid': 'projects' });
  const draw = async () => {
    const { projects } = await call('projects.list');
    list.replaceChildren(...projects.map((project) => entry(project, draw)));
    if (projects.length === 0) list.append(h('li', { class: 'hint' }, t('noProjects')));
  };
  await draw();
  return [section(t('projects'), list)];
}

function entry(project: ProjectEntry, draw: () => Promise<void>): HTMLElement {
  const { id, name, version, active } = project;
  const act = async (work: () => Promise<unknown>) => {
    await attempt(work, t('done'));
    await attempt(draw);
  };
  const button = (label: string, onclick: () => void, kind = '') =>
    h('button', { type: 'button', class: kind, onclick }, label);
  const rollback = async () => {
    if (await confirmed(t('rollbackSure', { name }), t('rollback')))
      await act(() => call('projects.rollback', { id }));
  };
  const remove = async () => {
    if (await confirmed(t('removeSure', { name }), t('remove')))
      await act(() => call('projects.remove', { id }));
  };
  return h(
    'li',
    { 'data-testid': `project-${id}` },
    h(
      'div',
      { class: 'grow' },
      h('strong', {}, name),
      active ? h('span', { class: 'badge good' }, t('active')) : undefined,
      h('p', { class: 'hint' }, `${id} · ${t('version', { version })}`),
    ),
    active
      ? undefined
      : button(t('activate'), () => void act(() => call('projects.activate', { id })), 'primary'),
    button(t('rollback'), () => void rollback()),
    button(t('remove'), () => void remove(), 'danger'),
  );
}
