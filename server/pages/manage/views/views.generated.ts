// Generated from words.ts of all folders by build/generate/main.ts. Do not edit it.
import type { ComponentType } from 'preact';
import type { Word } from '../language.ts';
import type { IconName } from '../ui/icons.tsx';

/** A view: its name is its address (`#/projects`), its icon, and the key of its title. */
export interface View {
  readonly name: IconName & Word;
  /** Its code is fetched when it is opened for the first time. */
  load(): Promise<ComponentType>;
}

/** All views, in the order of the menu. */
export const views: readonly View[] = [
  { name: 'overview', load: async () => (await import('./overview.tsx')).Overview },
  { name: 'screen', load: async () => (await import('../../../kiosk/live/view.tsx')).Screen },
  { name: 'projects', load: async () => (await import('../../../parts/projects/view.tsx')).Projects },
  { name: 'pages', load: async () => (await import('../../../kiosk/view/pages.tsx')).Pages },
  { name: 'display', load: async () => (await import('../../../parts/display/view.tsx')).Display },
  { name: 'messages', load: async () => (await import('../../../parts/messages/view.tsx')).Messages },
  { name: 'console', load: async () => (await import('../../../kiosk/view/console.tsx')).Console },
  { name: 'log', load: async () => (await import('../../../parts/log/view.tsx')).Log },
  { name: 'hardware', load: async () => (await import('./hardware.tsx')).Hardware },
  { name: 'cameras', load: async () => (await import('../../../video/view.tsx')).Cameras },
  { name: 'intercom', load: async () => (await import('../../../intercom/view.tsx')).Intercom },
  { name: 'fleet', load: async () => (await import('../../../parts/fleet/view.tsx')).Fleet },
  { name: 'settings', load: async () => (await import('./settings.tsx')).Settings },
  { name: 'network', load: async () => (await import('../../../parts/network/view.tsx')).Network },
  { name: 'access', load: async () => (await import('../../../parts/access/view.tsx')).Access },
  { name: 'journal', load: async () => (await import('../../../parts/journal/view.tsx')).Journal },
  { name: 'timeline', load: async () => (await import('../../../parts/journal/viewTimeline.tsx')).Timeline },
  { name: 'backup', load: async () => (await import('../../../parts/backup/view.tsx')).Backup },
  { name: 'system', load: async () => (await import('./system.tsx')).System },
  { name: 'api', load: async () => (await import('./api.tsx')).Api },
];
