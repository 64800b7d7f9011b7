/** Files of packages that a panel does not need; patterns of dpkg. Licences stay. */
export const UNREAD: readonly string[] = [
  '/usr/share/doc/*',
  '/usr/share/doc-base/*',
  '/usr/share/man/*',
  '/usr/share/info/*',
  '/usr/share/locale/*',
  '/usr/share/help/*',
  '/usr/share/lintian/*',
  '/usr/share/bug/*',
];

const drivers = (...names: string[]) => names.map((name) => `usr/lib/modules/*/kernel/drivers/${name}`);
const fileSystems = (...names: string[]) => names.map((name) => `usr/lib/modules/*/kernel/fs/${name}`);
const firmware = (...names: string[]) => names.map((name) => `usr/lib/firmware/${name}`);

/** What a panel never needs, by its path in the root; `*` means a part of one name. */
export const UNNEEDED: readonly string[] = [
  // Adapters of data centres and of telephone lines, disk arrays, tuners.
  ...drivers('infiniband', 'isdn', 'target', 'crypto'),
  ...drivers('scsi/lpfc', 'scsi/qla2xxx', 'scsi/qla4xxx', 'scsi/bfa', 'scsi/megaraid', 'scsi/mpt3sas'),
  ...drivers('net/ethernet/mellanox', 'net/ethernet/chelsio', 'net/ethernet/qlogic'),
  ...drivers('net/ethernet/netronome', 'net/ethernet/sfc', 'net/ethernet/cavium'),
  ...drivers('media/dvb-frontends', 'media/tuners', 'media/pci', 'media/usb/dvb-usb', 'media/usb/dvb-usb-v2'),
  ...drivers(
    'net/ethernet/broadcom/bnx2x',
    'net/ethernet/brocade',
    'net/ethernet/intel/ice',
    'net/ethernet/emulex',
  ),
  ...drivers(
    'comedi',
    'mtd',
    'iio/adc',
    'iio/dac',
    'iio/frequency',
    'usb/gadget',
    'media/i2c',
    'media/usb/gspca',
  ),
  ...drivers(
    'media/radio',
    'staging',
    'xen/xen-pciback',
    'w1',
    'parport',
    'pcmcia',
    'net/fddi',
    'net/hamradio',
  ),
  ...drivers(
    'net/can',
    'scsi/aacraid',
    'scsi/be2iscsi',
    'scsi/bnx2fc',
    'scsi/bnx2i',
    'scsi/cxgbi',
    'scsi/qedf',
  ),
  ...drivers(
    'scsi/qedi',
    'scsi/pm8001',
    'scsi/mpi3mr',
    'scsi/smartpqi',
    'accel',
    'bluetooth',
    'nvdimm',
    'ntb',
  ),
  'usr/lib/modules/*/kernel/arch/x86/kvm',
  'usr/lib/modules/*/kernel/net/bluetooth',
  ...fileSystems(
    'ocfs2',
    'gfs2',
    'ceph',
    'xfs',
    'btrfs',
    'bcachefs',
    'jfs',
    'nilfs2',
    'smb',
    'nfsd',
    'nfs',
    'afs',
  ),

  // Wi-Fi of phones, of access points and of boards that are no PC.
  ...firmware('ath10k/WCN3990', 'ath10k/QCA4019', 'ath10k/QCA99X0', 'ath10k/QCA9984', 'ath10k/QCA9888'),
  ...firmware('ath11k/WCN6750', 'ath11k/IPQ*', 'ath11k/QCN*', 'ath12k/QCN*'),
  ...firmware('mediatek/mt7996', 'mediatek/mt7988', 'mediatek/mt798*', 'mediatek/mt8*', 'mediatek/sof*'),
  ...firmware('ath11k/QCA2066', 'ath11k/QCA6698AQ'),
  // Intel's Wi-Fi from before 2012.
  ...firmware(
    'iwlwifi-1*',
    'iwlwifi-2*',
    'iwlwifi-3945*',
    'iwlwifi-4965*',
    'iwlwifi-5*',
    'iwlwifi-6*',
    'iwlwifi-bz-*-92.ucode',
  ),
  // Bluetooth: no program of the panel uses it.
  ...firmware('intel/ibt-*', 'mediatek/BT*', 'mediatek/*/BT*', 'qca', 'rtl_bt'),
  // Cameras and engines for inference of new processors.
  ...firmware(
    'amdgpu/isp_*',
    'amdgpu/umsch_*',
    'amdnpu',
    'amdgpu/vcn_5_*',
    'amdgpu/psp_14_0_2*',
    'amdgpu/psp_14_0_3*',
  ),
  ...firmware(
    'amdgpu/smu_14_0_2*',
    'amdgpu/smu_14_0_3*',
    'amdgpu/dcn_4_*',
    'amdgpu/vcn_4_0_3*',
    'amdgpu/sdma_7_*',
  ),
  // Versions of Intel's Wi-Fi below the newest that the kernel takes, or above it.
  ...firmware('iwlwifi-9*-38.ucode', 'iwlwifi-Q*-59.ucode', 'iwlwifi-Q*-72.ucode'),
  ...firmware('iwlwifi-cc-*-59.ucode', 'iwlwifi-cc-*-72.ucode', 'iwlwifi-ty-*-59.ucode'),
  ...firmware('iwlwifi-ty-*-72.ucode', 'iwlwifi-so-*-gf*-72.ucode', 'iwlwifi-so-*-hr-*-72.ucode'),
  ...firmware('iwlwifi-so-*-jf-*-72.ucode', 'iwlwifi-*-94.ucode', 'iwlwifi-*-96.ucode', 'iwlwifi-*-97.ucode'),
  // Graphics cards of servers and of games. With a card of theirs the screen works, without acceleration.
  ...[
    'aldebaran',
    'arcturus',
    'gc_9_4_*',
    'psp_13_0_6',
    'psp_13_0_14',
    'sdma_4_4',
    'smu_13_0_6',
    'navi1*',
  ].map((name) => `usr/lib/firmware/amdgpu/${name}*`),
  ...['vega10', 'vega12', 'vega20', 'fiji', 'tonga', 'hawaii', 'sienna_cichlid', 'navy_flounder'].map(
    (name) => `usr/lib/firmware/amdgpu/${name}*`,
  ),
  ...['dimgrey_cavefish', 'beige_goby', 'gc_11_0_0', 'gc_11_0_2', 'gc_11_0_3', 'gc_12_0_*', 'vegam'].map(
    (name) => `usr/lib/firmware/amdgpu/${name}*`,
  ),
  // Cameras on Intel's own bus.
  ...firmware('intel/vsc', 'intel/ipu'),

  // For those who debug Vulkan.
  'usr/lib/chromium/libVkLayer_khronos_validation.so',
  // The sources of hwdb.bin.
  'usr/lib/udev/hwdb.d',
];
