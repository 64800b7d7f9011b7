import { z } from 'zod';

export const pageState = z.strictObject({
  url: z.string().describe('the page that is wanted, also while it loads'),
  title: z.string(),
  state: z
    .enum(['loading', 'shown', 'failed', 'blank', 'waiting'])
    .describe(
      'failed: a script of its own is missing, or it threw before it drew anything; blank: it shows nothing 10 s after its load; waiting: its server cannot be reached',
    ),
  since: z.string().describe('since when it is in this state'),
  errors: z.int().min(0).describe('exceptions and missing scripts of its own since its load'),
  home: z.boolean(),
  until: z.string().nullable().describe('when the panel goes back to its home page; null: it stays'),
});
export type PageState = z.infer<typeof pageState>;
