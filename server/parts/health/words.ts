import type { WordsFor } from '../../contract/device.ts';
import type { healthCommands } from './contract.ts';

/** What its commands do. */
export const healthCommandWords = {
  'health.state': ['Read how the panel is', 'Lesen, wie es dem Panel geht', 'Leer cómo está el panel'],
  'health.history': [
    'Read how the panel was in the last day',
    'Lesen, wie es dem Panel am letzten Tag ging',
    'Leer cómo estuvo el panel en el último día',
  ],
  'metrics.read': ['Read the metrics', 'Die Messwerte lesen', 'Leer las métricas'],
} satisfies WordsFor<keyof typeof healthCommands>;
