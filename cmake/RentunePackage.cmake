# SPDX-License-Identifier: GPL-3.0-or-later
# `./dev package`: the desktop program as .deb and .tar.gz. It plans and watches; the trainer is not in it yet.
include(GNUInstallDirs)
install(TARGETS rentune RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(DIRECTORY "${CMAKE_SOURCE_DIR}/resources/catalog" "${CMAKE_SOURCE_DIR}/resources/demo"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/rentune")
install(FILES "${CMAKE_SOURCE_DIR}/packaging/linux/rentune.desktop" DESTINATION "${CMAKE_INSTALL_DATADIR}/applications")
install(FILES "${CMAKE_SOURCE_DIR}/resources/icons/app.svg"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps" RENAME rentune.svg)
install(FILES "${CMAKE_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")

set(CPACK_GENERATOR "DEB;TGZ")
set(CPACK_PACKAGE_CONTACT "The Rentune authors <rentune@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Plans and watches fine-tuning runs of language models")
set(CPACK_RESOURCE_FILE_LICENSE "${CMAKE_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGING_INSTALL_PREFIX "/usr")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libqt6sql6-sqlite")
include(CPack)
