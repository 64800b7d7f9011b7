/** Types of GPT partitions (UEFI; Discoverable Partitions Specification for `linux`: no system mounts it by itself). */
export const TYPES = {
  efi: 'C12A7328-F81F-11D2-BA4B-00A0C93EC93B',
  linux: '0FC63DAF-8483-4772-8E79-3D69D8477DE4',
} as const;
