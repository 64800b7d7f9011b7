// The backlight of the virtual panel: its screen (virtio-gpu-pci,addr=2) as ACPI describes one (ACPI 6.5, appendix B).
// The kernel makes /sys/class/backlight/acpi_video0 of it; the picture does not change.
DefinitionBlock ("", "SSDT", 2, "FPLATE", "PANEL", 1)
{
  External (\_SB.PCI0, DeviceObj)
  Scope (\_SB.PCI0)
  {
    Device (GFX0)
    {
      Name (_ADR, 0x00020000)
      Name (LVL, 80)
      Method (_DOS, 1) { }
      Method (_DOD, 0) { Return (Package () { 0x80000400 }) }
      Device (LCD0)
      {
        Name (_ADR, 0x0400)
        // With mains, on battery, then all levels, in percent.
        Method (_BCL, 0) { Return (Package () { 80, 50, 0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100 }) }
        Method (_BCM, 1) { Store (Arg0, LVL) }
        Method (_BQC, 0) { Return (LVL) }
      }
    }
  }
}
