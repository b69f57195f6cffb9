"""What results say: tables and their notes, comparisons, tests of significance, calibration."""
