import { z } from 'zod';

/** An absolute path of a device node or of a folder below /sys. */
export const devicePath = z.string().regex(/^\/[^\0]*$/, 'must be an absolute path');
